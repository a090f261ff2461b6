/** The order of the queue: a pool with workers that finish when the test says so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkerPool } from '../../../../../src/compression/infrastructure/workers/worker-pool';
import { readSettings } from '../../../../../src/settings/settings';
import { graphicPng } from '../../../../support/images';

const ODD_WORKER = join(__dirname, '..', '..', '..', '..', 'support', 'odd-worker.cjs');
const { policy } = readSettings({}).compression;
const small = graphicPng(16, 16);
/** 8 megapixels: predicted to take 6 s, so it is long. */
const long = graphicPng(3840, 2100);
const MIB = 1024 * 1024;

let pool: WorkerPool;
let file: string;
afterEach(() => pool.stop());
afterEach(() => jest.restoreAllMocks());

async function startPool(
  workers: number,
  options: { queueLimit?: number; pixelBytes?: number; memoryFactor?: number } = {},
) {
  file = join(mkdtempSync(join(tmpdir(), 'ics-turns-')), 'fault');
  writeFileSync(file, '');
  pool = new WorkerPool({ workers, queueLimit: 8, ...options, entry: [ODD_WORKER, 'endless', file] });
  await pool.start();
  while (pool.state().ready < workers) await new Promise((resolve) => setTimeout(resolve, 5));
}
/** From now on workers finish at once. */
const removeFault = () => rmSync(file, { force: true });

/** Lets this time pass for the pool. */
function pass(ms: number): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

const order: string[] = [];
beforeEach(() => (order.length = 0));
function run(name: string, image = small) {
  const controller = new AbortController();
  const options = { policy, account: name[0], deadlineAt: Infinity, signal: controller.signal };
  const outcome = pool.run(image, options).then(
    () => order.push(name),
    (error: unknown) => (error as { reason: string }).reason,
  );
  return { outcome, leave: () => controller.abort() };
}

it('accounts take turns regardless of the order and number of their images', async () => {
  await startPool(1);
  const first = run('x0');
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => run(name));
  removeFault();
  first.leave();
  await Promise.all(waiting.map(({ outcome }) => outcome));
  expect(order.slice(0, 3)).toEqual(['a1', 'b1', 'c1']);
});

it('an account whose image takes longer than it seemed to gets no second worker beside other accounts', async () => {
  await startPool(2);
  const other = run('b1');
  other.leave();
  await other.outcome;
  while (pool.state().ready < 2 || pool.state().busy > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  run('a1');
  // Longer than an image may take that seemed short.
  pass(1_000);
  run('a2');
  expect(pool.state()).toMatchObject({ busy: 1, queued: 1 });
  run('c1');
  expect(pool.state()).toMatchObject({ busy: 2, queued: 1 });
});

it('a killed worker gets no further image, even while its process still responds', async () => {
  await startPool(1);
  const first = run('x0');
  expect(pool.state()).toMatchObject({ ready: 1, busy: 1 });
  first.leave();
  expect(pool.state()).toMatchObject({ ready: 0, busy: 0 });
});

it('no account fills the queue, and an account without queued images gets a place in a full one', async () => {
  await startPool(1, { queueLimit: 4 });
  run('x0');
  const greedy = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name));
  expect(await greedy[3].outcome).toBe('overloaded');
  run('b1');
  expect(pool.state()).toMatchObject({ queued: 4, isFull: false });
  expect([pool.hasPlaceFor('a'), pool.hasPlaceFor('b'), pool.hasPlaceFor('c')]).toEqual([false, false, true]);
  run('c1');
  expect(await greedy[2].outcome).toBe('overloaded');
  run('d1');
  expect(await greedy[1].outcome).toBe('overloaded');
  expect(pool.state()).toMatchObject({ queued: 4, isFull: true });
  expect(await run('e1').outcome).toBe('overloaded');
});

it('a long image leaves a worker to shorter ones, until they have passed it by its own cost', async () => {
  await startPool(2);
  const longOnes = [run('a1', long), run('b1', long)];
  expect(pool.state()).toMatchObject({ busy: 1, queued: 1 });
  /** 3 megapixels: predicted to take 2.4 s. Three of them exceed the 6 s of a long one. */
  const medium = graphicPng(2000, 1500);
  for (const name of ['c1', 'd1', 'e1']) {
    const { outcome, leave } = run(name, medium);
    expect(pool.state()).toMatchObject({ busy: 2, queued: 1 });
    leave();
    await outcome;
    while (pool.state().ready < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(pool.state()).toMatchObject({ busy: 2, queued: 0 });
  for (const { leave } of longOnes) leave();
});

it('an account leaves a worker to other active accounts, unless its images are short', async () => {
  await startPool(3);
  /** 1.5 megapixels: predicted to take 1.2 s. */
  const medium = graphicPng(1500, 1000);
  for (const name of ['a1', 'a2', 'a3']) run(name, medium);
  // No other account is active.
  expect(pool.state()).toMatchObject({ busy: 3, queued: 0 });
  pool.stop();
  await startPool(3);
  const other = run('b1');
  other.leave();
  await other.outcome;
  while (pool.state().ready < 3 || pool.state().busy > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  for (const name of ['a1', 'a2', 'a3']) run(name, medium);
  expect(pool.state()).toMatchObject({ busy: 2, queued: 1 });
  run('a4');
  expect(pool.state()).toMatchObject({ busy: 3, queued: 1 });
});

it('a small image runs beside a large one, and overtakes one that waits for memory', async () => {
  await startPool(3, { pixelBytes: 400 * MIB });
  run('a1', long);
  run('b1');
  expect(pool.state()).toMatchObject({ busy: 2, queued: 0 });
  run('c1', long);
  expect(pool.state()).toMatchObject({ busy: 2, queued: 1 });
});

it('an engine that needs more memory claims more of the budget for the same image', async () => {
  await startPool(1);
  run('a1');
  const { pixelBytes } = pool.state();
  pool.stop();
  await startPool(1, { memoryFactor: 2 });
  run('a1');
  expect(pixelBytes).toBeGreaterThan(0);
  expect(pool.state().pixelBytes).toBe(2 * pixelBytes);
});

it('a large image that has waited for memory is not starved by smaller ones', async () => {
  await startPool(3, { pixelBytes: 400 * MIB });
  // 2 megapixels: more than the quarter of the budget for small ones.
  const medium = graphicPng(2000, 1000);
  const first = run('a1', medium);
  run('b1', long);
  expect(pool.state()).toMatchObject({ busy: 1, queued: 1 });
  pass(2_100);
  run('c1', graphicPng(1500, 1000));
  expect(pool.state()).toMatchObject({ busy: 1, queued: 2 });
  run('d1');
  expect(pool.state()).toMatchObject({ busy: 2, queued: 2 });
  first.leave();
  await first.outcome;
  while (pool.state().queued > 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(pool.state()).toMatchObject({ queued: 1 });
});
