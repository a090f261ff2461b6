import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunOptions } from '../../../../../src/compression/application/running/compression-runner.port';
import { WorkerPool } from '../../../../../src/compression/infrastructure/process/worker-pool';
import { readSettings } from '../../../../../src/settings/settings';
import { graphicPng } from '../../../../support/images';
import { MODES, sandboxed } from '../../../../support/sandboxes';

const ODD_WORKER = join(__dirname, '..', '..', '..', '..', 'support', 'odd-worker.cjs');
const { policy } = readSettings({}).compression;
const image = graphicPng(16, 16);
const file = join(mkdtempSync(join(tmpdir(), 'ics-pool-')), 'fault');

describe.each(MODES)('with the sandbox %s', (mode) => {
  const sandbox = sandboxed(mode, ODD_WORKER, dirname(file));
  let pool: WorkerPool;
  const lost: string[] = [];

  async function startPool(fault: string, options: { workers?: number; queueLimit?: number } = {}) {
    writeFileSync(file, '');
    lost.length = 0;
    const entry = [ODD_WORKER, fault, file];
    pool = new WorkerPool({
      sandbox,
      workers: 1,
      queueLimit: 4,
      ...options,
      entry,
      onWorkerLost: (c) => lost.push(c),
    });
    await pool.start();
  }
  const removeFault = () => rmSync(file, { force: true });

  function run(options: Partial<RunOptions> & { ms?: number } = {}) {
    const { ms = 120_000, ...rest } = options;
    const signal = new AbortController().signal;
    return pool.run(image, { policy, deadlineAt: performance.now() + ms, signal, ...rest });
  }
  const reasonOf = (outcome: Promise<unknown>) =>
    outcome.then(
      () => 'done',
      (error: unknown) => (error as { reason?: string }).reason,
    );
  async function untilBusy(): Promise<void> {
    while (pool.state().busy === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  afterEach(() => pool.stop());

  it('replaces a worker that does not accept an image, and gives the image to another', async () => {
    await startPool('deaf');
    const outcome = run();
    await untilBusy();
    removeFault();
    expect((await outcome).report.skipReason).toBe('already-optimised');
    expect(lost).toEqual(['SIGKILL']);
  });

  it('aborts an image at its deadline, and starts a new worker for the next one', async () => {
    await startPool('endless');
    expect(await reasonOf(run({ ms: 300 }))).toBe('deadline_exceeded');
    removeFault();
    expect(await reasonOf(run())).toBe('done');
    // The pool itself killed it.
    expect(lost).toEqual([]);
  });

  it('retries an image once if its worker dies', async () => {
    await startPool('dies');
    expect(await reasonOf(run())).toBe('worker_lost');
    expect(lost).toEqual(['exit code 7', 'exit code 7']);
    expect(pool.state().workersLost).toBe(2);
    removeFault();
    expect(await reasonOf(run())).toBe('done');
  });

  it('frees the place of a client that disconnects, queued or in progress', async () => {
    await startPool('endless');
    const [working, waiting] = [new AbortController(), new AbortController()];
    const first = reasonOf(run({ signal: working.signal }));
    await untilBusy();
    const second = reasonOf(run({ signal: waiting.signal }));
    const third = reasonOf(run());
    waiting.abort();
    expect(await second).toBe('cancelled');
    expect(pool.state().queued).toBe(1);
    removeFault();
    working.abort();
    expect(await first).toBe('cancelled');
    expect(await third).toBe('done');
  });

  it('refuses images when the queue is full, except urgent ones, which start first', async () => {
    await startPool('endless', { queueLimit: 1 });
    const working = new AbortController();
    const first = reasonOf(run({ signal: working.signal }));
    await untilBusy();
    const order: string[] = [];
    const waiting = run().then(() => order.push('waiting'));
    expect(pool.state().isFull).toBe(true);
    expect(await reasonOf(run())).toBe('overloaded');
    const urgent = run({ isUrgent: true }).then(() => order.push('urgent'));
    removeFault();
    working.abort();
    await Promise.all([first, waiting, urgent]);
    expect(order).toEqual(['urgent', 'waiting']);
  });

  it('no account fills the queue, and an account without queued images gets a place in a full one', async () => {
    await startPool('endless', { queueLimit: 4 });
    const send = (account: string) => reasonOf(run({ account }));
    void send('x');
    const greedy = ['a', 'a', 'a', 'a'].map(send);
    expect(await greedy[3]).toBe('overloaded');
    void send('b');
    expect(pool.state()).toMatchObject({ queued: 4, isFull: false });
    expect(['a', 'b', 'c'].map((account) => pool.hasPlaceFor(account))).toEqual([false, false, true]);
    void send('c');
    expect(await greedy[2]).toBe('overloaded');
    void send('d');
    expect(await greedy[1]).toBe('overloaded');
    expect(pool.state()).toMatchObject({ queued: 4, isFull: true });
    expect(await send('e')).toBe('overloaded');
  });

  it('refuses an image behind others of its account that have waited for half of its deadline', async () => {
    await startPool('endless');
    const now = performance.now.bind(performance);
    const send = (account: string) => reasonOf(run({ account, ms: 30_000 }));
    void send('a');
    await untilBusy();
    void send('a');
    const clock = jest.spyOn(performance, 'now');
    clock.mockImplementation(() => now() + 14_000);
    void send('a');
    expect(pool.state().queued).toBe(2);
    clock.mockImplementation(() => now() + 16_000);
    expect(await send('a')).toBe('deadline_exceeded');
    void send('b');
    expect(pool.state().queued).toBe(3);
    clock.mockRestore();
  });

  it('a killed worker gets no further image, even while its process still responds', async () => {
    await startPool('endless');
    const leaving = new AbortController();
    void reasonOf(run({ signal: leaving.signal }));
    expect(pool.state()).toMatchObject({ ready: 1, busy: 1 });
    void reasonOf(run());
    leaving.abort();
    expect(pool.state()).toMatchObject({ ready: 0, queued: 1 });
  });

  it('images survive any number of clients that leave at once', async () => {
    await startPool('endless', { workers: 4, queueLimit: 8 });
    for (let round = 0; round < 3; round++) {
      while (pool.state().ready < 4) await new Promise((resolve) => setTimeout(resolve, 5));
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
