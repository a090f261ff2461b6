import { until } from '../../../../support/eventually';
import { OddPool, reasonOf } from '../../../../support/odd-pool';
import { MODES } from '../../../../support/sandboxes';

describe.each(MODES)('with the sandbox %s', (mode) => {
  const odd = new OddPool(mode);
  const { lost, run, removeFault, untilBusy } = odd;

  afterEach(() => odd.pool.stop());

  it('an image whose worker died waits for its turn again: it may have died of its memory', async () => {
    await odd.start('dies');
    const order: string[] = [];
    const first = run({ account: 'a' }).then(() => order.push('a'));
    const second = run({ account: 'b', onStarted: removeFault }).then(() => order.push('b'));
    await Promise.all([first, second]);
    expect(order).toEqual(['b', 'a']);
    expect(lost).toEqual(['exit code 7']);
  });

  it('refuses images when the queue is full, except urgent ones, which start first', async () => {
    await odd.start('endless', { queueLimit: 1 });
    const working = new AbortController();
    const first = reasonOf(run({ signal: working.signal }));
    await untilBusy();
    const order: string[] = [];
    const waiting = run().then(() => order.push('waiting'));
    expect(odd.pool.hasPlaceFor()).toBe(false);
    expect(await reasonOf(run())).toBe('overloaded');
    const urgent = run({ isUrgent: true }).then(() => order.push('urgent'));
    removeFault();
    working.abort();
    await Promise.all([first, waiting, urgent]);
    expect(order).toEqual(['urgent', 'waiting']);
  });

  it('refuses an image behind others of its account that have waited for half of its deadline', async () => {
    await odd.start('endless');
    const now = performance.now.bind(performance);
    const send = (account: string) => reasonOf(run({ account, deadlineAt: performance.now() + 30_000 }));
    void send('a');
    await untilBusy();
    void send('a');
    const clock = jest.spyOn(performance, 'now');
    clock.mockImplementation(() => now() + 14_000);
    void send('a');
    expect(odd.pool.state().queued).toBe(2);
    clock.mockImplementation(() => now() + 16_000);
    expect(await send('a')).toBe('deadline_exceeded');
    void send('b');
    expect(odd.pool.state().queued).toBe(3);
    clock.mockRestore();
  });

  it('a killed worker gets no further image, even while its process still responds', async () => {
    await odd.start('endless');
    const leaving = new AbortController();
    void reasonOf(run({ signal: leaving.signal }));
    expect(odd.pool.state()).toMatchObject({ ready: 1, busy: 1 });
    void reasonOf(run());
    leaving.abort();
    expect(odd.pool.state()).toMatchObject({ ready: 0, queued: 1 });
  });

  it('images survive any number of clients that leave at once', async () => {
    await odd.start('endless', { workers: 4, queueLimit: 8 });
    for (let round = 0; round < 3; round++) {
      await until(() => odd.pool.state().ready === 4);
      const leaving = new AbortController();
      const left = Array.from({ length: 4 }, () => reasonOf(run({ signal: leaving.signal })));
      const waiting = reasonOf(run());
      if (round === 2) removeFault();
      leaving.abort();
      expect(await Promise.all(left)).toEqual(Array(4).fill('cancelled'));
      if (round === 2) expect(await waiting).toBe('done');
    }
    expect(lost).toEqual([]);
  });
});
