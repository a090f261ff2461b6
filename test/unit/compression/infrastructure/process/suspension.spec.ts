/** Suspended workers: real processes, of a worker that never finishes or that waits for a file to be gone. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunOptions } from '../../../../../src/compression/application/running/compression-runner.port';
import {
  killWorker,
  spawnWorker,
  workerEnvironment,
} from '../../../../../src/compression/infrastructure/process/spawn-worker';
import { SuspendedTime } from '../../../../../src/compression/infrastructure/process/suspension';
import { openSandbox } from '../../../../../src/compression/infrastructure/sandbox/open-sandbox';
import { WorkerPool } from '../../../../../src/compression/infrastructure/process/worker-pool';
import { QUANTUM_MS } from '../../../../../src/compression/infrastructure/queue/scheduler';
import { readSettings } from '../../../../../src/settings/settings';
import { eventually } from '../../../../support/eventually';
import { graphicPng } from '../../../../support/images';
import { MODES, sandboxed } from '../../../../support/sandboxes';

const SUPPORT = join(__dirname, '..', '..', '..', '..', 'support');
const ROOT = join(__dirname, '..', '..', '..', '..', '..');
const DIST = join(ROOT, 'dist', 'compression', 'infrastructure', 'process');
const { policy } = readSettings({}).compression;
const image = graphicPng(16, 16);
const file = join(mkdtempSync(join(tmpdir(), 'ics-suspension-')), 'fault');

describe.each(MODES)('with the sandbox %s', (mode) => {
  const sandbox = sandboxed(mode, join(SUPPORT, 'odd-worker.cjs'), dirname(file));
  let pool = new WorkerPool({ workers: 1, queueLimit: 1, entry: [] });
  const lost: string[] = [];
  afterEach(() => pool.stop());

  async function startPool() {
    writeFileSync(file, '');
    lost.length = 0;
    const entry = [join(SUPPORT, 'odd-worker.cjs'), 'patient', file];
    const onWorkerLost = (cause: string) => lost.push(cause);
    pool = new WorkerPool({ workers: 1, queueLimit: 4, isShared: true, entry, sandbox, onWorkerLost });
    await pool.start();
  }
  /** From now on images are finished. */
  const finish = () => rmSync(file, { force: true });
  const run = (account: string, options: Partial<RunOptions> = {}) =>
    pool.run(image, {
      policy,
      account,
      deadlineAt: Infinity,
      signal: new AbortController().signal,
      ...options,
    });

  /** The processes that a process has started, directly or not, with their state: T if they are stopped. */
  function descendants(of = process.pid): { readonly pid: number; readonly state: string }[] {
    const started = contentOf(`/proc/${of}/task/${of}/children`)?.trim().split(' ') ?? [];
    return started.map(Number).flatMap((pid) => {
      const state = stateOf(pid);
      return state === undefined ? [] : [{ pid, state }, ...descendants(pid)];
    });
  }

  function contentOf(file: string): string | undefined {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  }

  function stateOf(pid: number): string | undefined {
    return contentOf(`/proc/${pid}/stat`)?.split(') ')[1][0];
  }

  const stopped = (of?: number) => descendants(of).filter(({ state }) => state === 'T');

  /** Starts an image of the account a, and one of the account b for which it is suspended. */
  async function suspendOne(options: Partial<RunOptions> = {}) {
    await startPool();
    const first = run('a', options);
    const second = run('b');
    await eventually(() => expect(pool.state()).toMatchObject({ busy: 1, suspended: 1, queued: 0 }));
    return { first, second };
  }

  it('an image is suspended for one of another account, and both are finished', async () => {
    const { first, second } = await suspendOne();
    await eventually(() => expect(stopped()).toHaveLength(1));
    finish();
    const [a, b] = await Promise.all([first, second]);
    expect(a.ranMs).toBeGreaterThanOrEqual(QUANTUM_MS);
    expect(a.suspendedMs).toBeGreaterThan(0);
    expect(b.queueMs).toBeGreaterThanOrEqual(QUANTUM_MS - 100);
    expect(lost).toEqual([]);
  });

  it('a suspended worker is missed by no heartbeat, and its deadline goes on', async () => {
    // Longer than the heartbeat is waited for.
    const { first, second } = await suspendOne({ deadlineAt: performance.now() + 8_000 });
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
    finish();
    await Promise.all([first, second]);
  });

  it('the kernel kills suspended workers when the service is killed', async () => {
    writeFileSync(file, '');
    const program = `
    const { WorkerPool } = require(${JSON.stringify(join(DIST, 'worker-pool.js'))});
    const entry = [${JSON.stringify(join(SUPPORT, 'odd-worker.cjs'))}, 'patient', ${JSON.stringify(file)}];
    const pool = new WorkerPool({ workers: 1, queueLimit: 4, isShared: true, entry, sandbox: ${JSON.stringify(sandbox)} });
    const image = Buffer.from('${Buffer.from(image).toString('base64')}', 'base64');
    const policy = ${JSON.stringify(policy)};
    pool.start().then(() => {
      for (const account of 'ab') void pool.run(image, { policy, account, deadlineAt: Infinity, signal: new AbortController().signal });
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
    const { sandbox: opened } = await openSandbox({ ...sandbox, env: workerEnvironment() });
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

  it('the clock of a worker stands still while it is suspended', async () => {
    const { sandbox: opened } = await openSandbox({ ...sandbox, env: workerEnvironment() });
    const clock = join(DIST, 'suspension.js');
    const program = `
    const { workingTime } = require(${JSON.stringify(opened.protection === 'none' ? clock : clock.replace(ROOT, '/app'))});
    const clock = workingTime();
    const { writeSync } = require('node:fs');
    const begin = [clock(), performance.now()];
    process.on('SIGUSR2', () => writeSync(3, [clock() - begin[0], performance.now() - begin[1]].join() + '\\n'));
    setInterval(() => undefined, 1000);
    writeSync(3, 'ready\\n');`;
    const time = new SuspendedTime();
    const { process: child, messages } = spawnWorker(['-e', program], opened, time);
    const lines: string[] = [];
    messages.on('data', (piece: Buffer) => lines.push(String(piece)));
    await eventually(() => expect(lines).toEqual(['ready\n']));
    time.add(100_000);
    process.kill(opened.pidOf(child.pid)!, 'SIGUSR2');
    await eventually(() => expect(lines).toHaveLength(2));
    const [working, elapsed] = lines[1].split(',').map(Number);
    expect(working - elapsed).toBeCloseTo(-100_000, -2);
    child.kill('SIGKILL');
    time.close();
  });
});
