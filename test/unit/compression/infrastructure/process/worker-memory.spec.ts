/** The memory of workers, and the size of their results. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunOptions } from '../../../../../src/compression/application/running/compression-runner.port';
import { engine } from '../../../../../src/compression/options/engine';
import { compressingWith } from '../../../../../src/compression/infrastructure/process/compressing-workers';
import {
  WorkerPool,
  type WorkerPoolOptions,
} from '../../../../../src/compression/infrastructure/process/worker-pool';
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

  async function startPool(fault: string, options: Partial<WorkerPoolOptions> = {}) {
    writeFileSync(file, '');
    lost.length = 0;
    const entry = [ODD_WORKER, fault, file];
    const onWorkerLost = (cause: string) => lost.push(cause);
    pool = new WorkerPool({ workers: 1, queueLimit: 4, sandbox, onWorkerLost, ...options, entry });
    await pool.start();
    while (pool.state().ready < (options.workers ?? 1))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const removeFault = () => rmSync(file, { force: true });
  const run = (options: Partial<RunOptions> = {}, bytes: Uint8Array = image) =>
    pool.run(bytes, { policy, deadlineAt: Infinity, signal: new AbortController().signal, ...options });
  const reasonOf = (outcome: Promise<unknown>) =>
    outcome.then(
      () => 'done',
      (error: unknown) => (error as { reason?: string }).reason,
    );

  afterEach(() => pool.stop());

  it('keeps images in progress within the pixel memory, but lets a single larger one run alone', async () => {
    await startPool('endless', { workers: 2, pixelBytes: 80 * 1024 * 1024 });
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
  ] as const)('counts what the engine %s needs for an image: %i fit into the memory', async (name, busy) => {
    const pixelBytes = 150 * 1024 * 1024;
    await startPool('endless', { ...compressingWith(engine.parse(name)), sandbox, workers: 2, pixelBytes });
    const callers = Array.from({ length: 2 }, () => new AbortController());
    const outcomes = callers.map(({ signal }) => reasonOf(run({ signal })));
    expect(pool.state().busy).toBe(busy);
    for (const caller of callers) caller.abort();
    await Promise.all(outcomes);
  });

  it('stops a worker that takes much more memory than its image should need, and refuses the image', async () => {
    await startPool('hungry');
    await expect(run()).rejects.toMatchObject({ code: 'needs_too_much_memory' });
    removeFault();
    expect(await reasonOf(run())).toBe('done');
    // It was not a fault of the worker.
    expect(lost).toEqual([]);
  });

  it('refuses a result that no image of its size can have, and keeps the worker', async () => {
    await startPool('too-long');
    await expect(run()).rejects.toMatchObject({ code: 'too_many_pixels', numbers: { actual: 10_000_000 } });
    removeFault();
    expect(await reasonOf(run())).toBe('done');
    expect(lost).toEqual([]);
  });
});
