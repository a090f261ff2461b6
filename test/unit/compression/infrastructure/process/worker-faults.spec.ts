/** Broken, stopped or compromised workers cost the service only that worker. */
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
const image = graphicPng(512, 512);
const file = join(mkdtempSync(join(tmpdir(), 'ics-faults-')), 'fault');
describe.each(MODES)('with the sandbox %s', (mode) => {
  const sandbox = sandboxed(mode, ODD_WORKER, dirname(file));
  let pool: WorkerPool;
  const lost: string[] = [];

  function poolWith(fault: string): WorkerPool {
    writeFileSync(file, '');
    lost.length = 0;
    const entry = [ODD_WORKER, fault, file];
    pool = new WorkerPool({
      sandbox,
      workers: 1,
      queueLimit: 4,
      entry,
      onWorkerLost: (cause) => lost.push(cause),
    });
    return pool;
  }
  const removeFault = () => rmSync(file, { force: true });
  const run = (options: Partial<RunOptions> = {}) =>
    pool.run(image, { policy, deadlineAt: Infinity, signal: new AbortController().signal, ...options });
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  afterEach(() => pool.stop());

  it('reports each notice of the workers about loading codecs once', async () => {
    const notices: string[] = [];
    writeFileSync(file, '');
    const entry = [ODD_WORKER, 'notices', file];
    pool = new WorkerPool({
      sandbox,
      workers: 3,
      queueLimit: 4,
      entry,
      onNotice: (notice) => notices.push(notice),
    });
    await pool.start();
    await until(() => pool.state().ready === 3);
    expect(notices).toEqual(['an encoder is missing']);
  });

  it('uses no worker that has loaded other codecs than the first one, and says so', async () => {
    writeFileSync(file, '');
    lost.length = 0;
    const entry = [ODD_WORKER, 'notices', file];
    const onWorkerLost = (cause: string) => lost.push(cause);
    pool = new WorkerPool({ sandbox, workers: 2, workersAtStart: 1, queueLimit: 4, entry, onWorkerLost });
    await pool.start();
    removeFault();
    await Promise.all([run(), run()]);
    await until(() => lost.length > 1);
    expect(lost[0]).toMatch(/not loaded the same codecs as the first worker/);
    expect(pool.state().ready).toBe(1);
    writeFileSync(file, '');
    await until(() => pool.state().ready === 2);
  });

  it.each(['no-json', 'no-kind', 'no-report', 'no-header', 'large-header', 'large-body'])(
    'a malformed message (%s) ends that worker, and the image goes to the next one',
    async (fault) => {
      await poolWith(fault).start();
      const outcome = run();
      await until(() => lost.length > 0);
      removeFault();
      expect((await outcome).report.skipReason).toBe('already-optimised');
      expect(lost[0]).toMatch(/^malformed message: /);
    },
  );

  it('detects a stopped worker by its heartbeat, and gives its image to another', async () => {
    await poolWith('stops').start();
    const outcome = run();
    await until(() => lost.length > 0);
    removeFault();
    expect((await outcome).report.skipReason).toBe('already-optimised');
    expect(lost).toEqual(['its heartbeat stopped']);
  });

  it('refuses a result before it is in memory, and keeps the worker', async () => {
    await poolWith('heavy').start();
    const sizes: number[] = [];
    const onResultSize = (bytes: number) => {
      sizes.push(bytes);
      throw new Error('too much');
    };
    await expect(run({ onResultSize })).rejects.toThrow('too much');
    expect((await run()).bytes).toHaveLength(1_000_000);
    expect([sizes, lost]).toEqual([[1_000_000], []]);
  });

  it.each([
    ['unusable', 'The codec engine cannot start: libvips is missing'],
    ['absent', 'The codec engine cannot start: exit code 3'],
  ])('an engine that is %s is an error at the start, with its reason', async (fault, message) => {
    await expect(poolWith(fault).start()).rejects.toThrow(message);
  });

  it('images do not wait for workers that have stopped to start', async () => {
    await poolWith('absent-later').start();
    pool.stop();
    removeFault();
    await poolWith('absent')
      .start()
      .catch(() => undefined);
    const outcome = run();
    await expect(outcome).rejects.toMatchObject({ reason: 'worker_lost' });
  });
});
