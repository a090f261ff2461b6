/** Suspended workers: real processes, of a worker that never finishes or that waits for a file to be gone. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../../../../../src/compression/application/running/compression-runner.port';
import { killWorker, spawnWorker } from '../../../../../src/compression/infrastructure/process/spawn-worker';
import { openSandbox } from '../../../../../src/compression/infrastructure/sandbox/open-sandbox';
import { QUANTUM_MS } from '../../../../../src/compression/infrastructure/queue/scheduler';
import { eventually } from '../../../../support/eventually';
import { ROOT } from '../../../../support/folders';
import { ODD_WORKER, policy, withOddPools } from '../../../../support/odd-pool';

const DIST = join(ROOT, 'dist', 'compression', 'infrastructure', 'process');

withOddPools((odd) => {
  const { lost, sandbox, removeFault } = odd;
  const run = (account: string, options: Partial<RunOptions> = {}) => odd.run({ account, ...options });

  /** The processes that a process has started, directly or not, with their state: T if they are stopped. */
  function descendants(of = process.pid): { readonly pid: number; readonly state: string }[] {
    const started = contentOf(`/proc/${of}/task/${of}/children`)?.trim().split(' ') ?? [];
    return started.map(Number).flatMap((pid) => {
      const state = stateOf(pid);
      return state === undefined ? [] : [{ pid, state }, ...descendants(pid)];
    });
  }

  function contentOf(file: string) {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  }

  function stateOf(pid: number) {
    return contentOf(`/proc/${pid}/stat`)?.split(') ')[1][0];
  }

  const stopped = (of?: number) => descendants(of).filter(({ state }) => state === 'T');

  async function suspendOne(ms = Infinity) {
    await odd.start('patient', { isShared: true });
    const first = run('a', { deadlineAt: performance.now() + ms });
    const second = run('b');
    await eventually(() => expect(odd.pool.state()).toMatchObject({ busy: 1, suspended: 1, queued: 0 }));
    return { first, second };
  }

  it('images are suspended for other accounts, and all are finished, without a temporary folder', async () => {
    const before = process.env;
    process.env = { ...before, TMPDIR: '/nonexistent' };
    const { first, second } = await suspendOne();
    const third = run('c');
    process.env = before;
    await eventually(() => expect(stopped()).toHaveLength(2));
    removeFault();
    const [a, b] = await Promise.all([first, second, third]);
    expect(a.ranMs).toBeGreaterThanOrEqual(QUANTUM_MS);
    expect(a.suspendedMs).toBeGreaterThan(0);
    expect(b.queueMs).toBeGreaterThanOrEqual(QUANTUM_MS - 100);
    expect([lost, odd.pool.state().ready]).toEqual([[], 2]);
  });

  it('an image is not given to a worker that is stopped because its last image ran long', async () => {
    await odd.start('patient', { isShared: true });
    const first = run('a');
    await eventually(() => expect(odd.pool.state().busy).toBe(1));
    const ranLong = performance.now() + QUANTUM_MS;
    await eventually(() => expect(performance.now()).toBeGreaterThan(ranLong));
    removeFault();
    const [{ ranMs }] = await Promise.all([first, run('b')]);
    expect(ranMs).toBeGreaterThan(QUANTUM_MS);
    expect(stopped()).toEqual([]);
  });

  it('a suspended worker does not count as stopped, and its deadline goes on', async () => {
    // Longer than a stopped worker is waited for.
    const { first, second } = await suspendOne(8_000);
    void second.catch(() => undefined);
    await expect(first).rejects.toMatchObject({ reason: 'deadline_exceeded' });
    expect(lost).toEqual([]);
  });

  it('an image whose suspended worker is killed is tried once more', async () => {
    const { first, second } = await suspendOne();
    await eventually(() => {
      const [worker] = stopped();
      process.kill(worker.pid, 'SIGKILL');
    });
    await eventually(() => expect(lost).toEqual(['SIGKILL']));
    removeFault();
    await Promise.all([first, second]);
  });

  it('the kernel kills suspended workers when the service is killed', async () => {
    odd.setFault();
    const program = `
    const { WorkerPool } = require(${JSON.stringify(join(DIST, 'worker-pool.js'))});
    const entry = [${JSON.stringify(ODD_WORKER)}, 'patient', ${JSON.stringify(odd.file)}];
    const pool = new WorkerPool({ workers: 1, queueLimit: 4, isShared: true, entry, sandbox: ${JSON.stringify(sandbox)} });
    const image = Buffer.from('${Buffer.from(odd.image).toString('base64')}', 'base64');
    const policy = ${JSON.stringify(policy)};
    pool.start().then(() => {
      for (const account of 'ab') void pool.run({ kind: 'compress', image, policy }, { account, deadlineAt: Infinity, signal: new AbortController().signal });
    });`;
    const service = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit'] });
    const one = await eventually(() => {
      const [worker] = stopped(service.pid);
      return worker.pid;
    });
    service.kill('SIGKILL');
    await eventually(() => expect([undefined, 'Z']).toContain(stateOf(one)));
  });

  it('a worker that is killed while it starts leaves no process', async () => {
    const { sandbox: opened } = await openSandbox(sandbox, () => Promise.resolve(undefined));
    const marker = `marker-${randomUUID()}`;
    const left = () =>
      readdirSync('/proc').filter(
        (pid) => /^\d+$/.test(pid) && contentOf(`/proc/${pid}/cmdline`)?.includes(marker),
      );
    for (let i = 0; i < 24; i++) {
      const { process: child } = spawnWorker(['-e', 'setInterval(() => undefined, 1e6)', marker], opened);
      await new Promise((resolve) => setTimeout(resolve, i % 12));
      killWorker(child, opened);
    }
    await eventually(() => expect(left()).toEqual([]));
  });
});
