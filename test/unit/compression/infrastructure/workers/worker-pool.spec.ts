import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '../../../../../src/compression/application/running/compression-runner.port';
import { memoryDemand } from '../../../../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../../../../src/compression/formats/image-header';
import { compressingWith } from '../../../../../src/compression/infrastructure/workers/compressing-workers';
import { ServiceTimes } from '../../../../../src/compression/infrastructure/workers/service-times';
import { WorkerPool } from '../../../../../src/compression/infrastructure/workers/worker-pool';
import { readSettings } from '../../../../../src/settings/settings';
import { eventually } from '../../../../support/eventually';
import { graphicPng } from '../../../../support/images';

const ODD_WORKER = join(__dirname, '..', '..', '..', '..', 'support', 'odd-worker.cjs');
const { policy } = readSettings({}).compression;
const image = graphicPng(16, 16);
const file = join(mkdtempSync(join(tmpdir(), 'ics-pool-')), 'fault');

let pool: WorkerPool;
const lost: string[] = [];

async function startPool(
  fault: string,
  options: { workers?: number; queueLimit?: number; pixelBytes?: number } = {},
) {
  writeFileSync(file, '');
  lost.length = 0;
  const entry = [ODD_WORKER, fault, file];
  pool = new WorkerPool({ workers: 1, queueLimit: 4, ...options, entry, onWorkerLost: (c) => lost.push(c) });
  await pool.start();
}
const removeFault = () => rmSync(file, { force: true });

function run(options: Partial<RunOptions> & { ms?: number } = {}, bytes: Uint8Array = image) {
  const { ms = 120_000, ...rest } = options;
  const signal = new AbortController().signal;
  return pool.run(bytes, { policy, deadlineAt: performance.now() + ms, signal, ...rest });
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

it('keeps images in progress within the pixel memory, but lets a single larger one run alone', async () => {
  writeFileSync(file, '');
  const entry = [ODD_WORKER, 'endless', file];
  pool = new WorkerPool({ workers: 2, queueLimit: 4, entry, pixelBytes: 80 * 1024 * 1024 });
  await pool.start();
  while (pool.state().ready < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const callers = Array.from({ length: 2 }, () => new AbortController());
  const outcomes = callers.map(({ signal }) => reasonOf(run({ signal })));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 1 });
  const large = reasonOf(run({}, graphicPng(2000, 1000)));
  removeFault();
  callers[0].abort();
  expect(await Promise.all([...outcomes, large])).toEqual(['cancelled', 'done', 'done']);
  expect(pool.state().pixelBytes).toBe(0);
});

it.each([
  ['native', 2],
  ['squoosh', 1],
] as const)('counts what the engine %s needs for an image: %i fit into the memory', async (engine, busy) => {
  writeFileSync(file, '');
  const entry = [ODD_WORKER, 'endless', file];
  const pixelBytes = 150 * 1024 * 1024;
  pool = new WorkerPool({ ...compressingWith(engine), entry, workers: 2, queueLimit: 4, pixelBytes });
  await pool.start();
  while (pool.state().ready < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const callers = Array.from({ length: 2 }, () => new AbortController());
  const outcomes = callers.map(({ signal }) => reasonOf(run({ signal })));
  expect(pool.state().busy).toBe(busy);
  for (const caller of callers) caller.abort();
  await Promise.all(outcomes);
});

it('counts an image that was killed at its deadline with the time it took', async () => {
  const record = jest.spyOn(ServiceTimes.prototype, 'recordUnfinished');
  await startPool('endless');
  expect(await reasonOf(run({ ms: 300 }, graphicPng(1000, 1000)))).toBe('deadline_exceeded');
  // Once its worker has ended. Those of earlier tests had small images.
  await eventually(() => {
    const [, , ms] = record.mock.calls.find(([, cost]) => cost > 100)!;
    expect(ms).toBeGreaterThan(250);
  });
});

it('refuses no image on a prediction while a worker is idle, also if it waits for memory', async () => {
  // Predicted to take half a minute, so hopeless within a sixth of that.
  const budget = { maxBytes: 1000, allowsAny: false };
  const dear = { ...policy, effort: 'max', formats: ['avif'], budget } as const;
  const long = graphicPng(2000, 1000);
  const { format, dimensions } = readAcceptedHeader(long, policy.maxPixels);
  const pixelBytes = 1.5 * memoryDemand(format, dimensions, dear, 0, long.length);
  await startPool('endless', { workers: 2, pixelBytes });
  while (pool.state().ready < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  removeFault();
  for (let i = 0; i < 3; i++) expect(await reasonOf(run({ policy: dear }, long))).toBe('done');
  writeFileSync(file, '');
  const client = new AbortController();
  const working = reasonOf(run({ signal: client.signal, policy: dear }, long));
  await untilBusy();
  const hopeless = reasonOf(run({ ms: 5_000, policy: dear }, long));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 1 });
  removeFault();
  client.abort();
  expect([await working, await hopeless]).toEqual(['cancelled', 'done']);
});

it('refuses an image that is predicted to miss its deadline only while all workers are busy', async () => {
  await startPool('slow');
  // 8 megapixels: predicted to take several seconds.
  const long = graphicPng(3840, 2100);
  for (let i = 0; i < 3; i++) expect(await reasonOf(run({}, long))).toBe('done');
  const working = reasonOf(run({}, long));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 0 });
  const hopeless = reasonOf(run({ ms: 300 }, long));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 0 });
  expect(await hopeless).toBe('deadline_exceeded');
  expect(await working).toBe('done');
  void reasonOf(run({ ms: 300 }, long));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 0 });
});
