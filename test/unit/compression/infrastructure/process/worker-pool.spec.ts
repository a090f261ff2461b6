/** The queue of the pool, and how it gives images to its workers. */
import { Formats, type FormatRow } from '../../../../../src/contract/formats';
import type { Problem } from '../../../../../src/contract/problem';
import { uint16s } from '../../../../../src/compression/formats/bytes';
import type { ImageJob } from '../../../../../src/compression/infrastructure/process/image-job';
import { QUANTUM_MS, Scheduler } from '../../../../../src/compression/infrastructure/queue/scheduler';
import { until } from '../../../../support/eventually';
import { graphicPng } from '../../../../support/images';
import { policy, reasonOf, withOddPools } from '../../../../support/odd-pool';

withOddPools((odd) => {
  const { lost, run, removeFault, untilBusy } = odd;

  it('an image whose worker died waits for its turn again: it may have died of its memory', async () => {
    await odd.start('dies');
    const added = jest.spyOn(Scheduler.prototype, 'add');
    const order: string[] = [];
    const first = run({ account: 'a' }).then(() => order.push('a'));
    const second = run({ account: 'b', onStarted: removeFault }).then(() => order.push('b'));
    await Promise.all([first, second]);
    expect(order).toEqual(['b', 'a']);
    expect(lost).toEqual(['exit code 7']);
    // Once each: the time before the loss would count twice.
    expect(added).toHaveBeenCalledTimes(2);
    added.mockRestore();
  });

  it('refuses images when the queue is full, except urgent ones, which start first', async () => {
    await odd.start('endless', { queueLimit: 1 });
    const working = new AbortController();
    const first = reasonOf(run({ signal: working.signal }));
    await untilBusy();
    const order: string[] = [];
    const waiting = run({ account: 'c' }).then(() => order.push('waiting'));
    expect(odd.pool.hasPlaceFor({})).toBe(false);
    expect(await reasonOf(run())).toBe('overloaded');
    const waitOf = () => run({ account: 'b' }).catch((error: unknown) => (error as Problem).facts.retryAfter);
    const waits = (await Promise.all(Array.from({ length: 10 }, waitOf))) as number[];
    // One place after the other, and two accounts take turns with images of a second.
    expect(waits.toSorted((a, b) => a - b).at(-1)).toBeGreaterThanOrEqual(15);
    expect(Math.min(...waits)).toBeLessThanOrEqual(3);
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

  describe('an upload that a package reads', () => {
    const memory = { bytesPerPixel: { opaque: 8, transparent: 8 }, baseBytes: 0 };
    const hex = Buffer.from('odd.').toString('hex');
    const facts: Omit<FormatRow, 'memory'> = {
      label: 'Odd',
      mediaType: 'image/odd',
      extensions: ['odd'],
      signatures: [{ offset: 0, hex }],
      isUpload: true,
    };
    const formats = Formats.builtIn.with('odd', { ...facts, memory, decoding: memory, owner: 'odd' });
    if (typeof formats === 'string') throw new Error(formats);
    const knownFormats = formats;
    const oddImage = (width: number, height: number) =>
      Buffer.concat([Buffer.from('odd.'), uint16s(width, height)]);
    const inPng = { policy: { ...policy, formats: ['png'] as const } };
    const MEBIBYTE = 1024 * 1024;

    it('is measured and compressed in one visit, even if others wait', async () => {
      await odd.start('patient', { knownFormats });
      const order: string[] = [];
      const first = run({ account: 'a', onStarted: () => order.push('a') }, oddImage(100, 100), inPng);
      const second = run({ account: 'b', onStarted: () => order.push('b') });
      await until(() => odd.pool.state().pixelBytes > 64 * MEBIBYTE);
      removeFault();
      const [{ report }] = await Promise.all([first, second]);
      expect([report.originalSize, order]).toEqual([8, ['a', 'b']]);
    });

    it('waits for its turn again if there is no room for what it needs by its size', async () => {
      await odd.start('patient', { knownFormats, workers: 2, pixelBytes: 300 * MEBIBYTE });
      const first = run({ account: 'a' }, graphicPng(1000, 1000));
      await until(() => odd.pool.state().busy === 1);
      let visits = 0;
      const second = run({ account: 'b', onStarted: () => visits++ }, oddImage(2000, 2000), inPng);
      await until(() => odd.pool.state().queued === 1);
      expect([visits, odd.pool.state().busy]).toEqual([1, 1]);
      removeFault();
      await Promise.all([first, second]);
      expect(visits).toBe(2);
    });

    it('is refused by its size before it is decoded', async () => {
      await odd.start('dies', { knownFormats });
      await expect(run({}, oddImage(60_000, 60_000), inPng)).rejects.toMatchObject({
        code: 'too_many_pixels',
      });
      expect(lost).toEqual([]);
    });

    it('is sent again if its worker is lost', async () => {
      await odd.start('dies', { knownFormats });
      const onStarted = () => lost.length > 0 && removeFault();
      expect((await run({ onStarted }, oddImage(100, 100), inPng)).report.originalSize).toBe(8);
      expect(lost).toEqual(['exit code 7']);
    });
  });

  it('a killed worker gets no further image, even while its process still responds', async () => {
    await odd.start('endless');
    const leaving = new AbortController();
    void reasonOf(run({ signal: leaving.signal }));
    expect(odd.pool.state()).toMatchObject({ ready: 1, busy: 1 });
    void reasonOf(run());
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + QUANTUM_MS);
    leaving.abort();
    expect(odd.pool.state()).toMatchObject({ ready: 0, queued: 1 });
    clock.mockRestore();
  });

  it.each([
    ['finished, and its result skipped', 'heavy', false],
    ['killed after a turn, and its account pays for the restart', 'endless', true],
  ])('an image whose client leaves is %s', async (_, fault, isKilled) => {
    await odd.start(fault);
    const startedAt = performance.now();
    const clock = jest.spyOn(performance, 'now');
    // However long the worker takes, the image has not had its turn yet.
    if (!isKilled) clock.mockReturnValue(startedAt);
    const removed = jest.spyOn(Scheduler.prototype, 'remove');
    const onResultSize = jest.fn();
    const leaving = new AbortController();
    const left = reasonOf(run({ signal: leaving.signal, onResultSize }));
    leaving.abort();
    expect([await left, odd.pool.state().ready]).toEqual(['cancelled', 1]);
    await until(() => removed.mock.calls.length > 0);
    const [[job]] = removed.mock.calls as unknown as [[ImageJob]];
    expect([job.restartMs > 0, job.task.image.length, lost]).toEqual([isKilled, 0, []]);
    expect(onResultSize).not.toHaveBeenCalled();
    removed.mockRestore();
    clock.mockRestore();
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
