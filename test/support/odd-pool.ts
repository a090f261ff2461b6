/** A pool whose workers have a fault of odd-worker.cjs, until that is removed. */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from './eventually';
import { temporaryFile } from './folders';
import type {
  RunOptions,
  SandboxMode,
} from '../../src/compression/application/running/compression-runner.port';
import type { CompressTask } from '../../src/compression/application/running/task';
import { WorkerPool, type WorkerPoolOptions } from '../../src/compression/infrastructure/process/worker-pool';
import { policy } from './default-policy';
import { graphicPng } from './images';
import { MODES, sandboxed } from './sandboxes';

export const ODD_WORKER = join(__dirname, 'odd-worker.cjs');
export { policy };

class OddPool {
  /** Why workers were lost, since the pool was opened. */
  readonly lost: string[] = [];
  readonly sandbox;
  pool = new WorkerPool({ workers: 1, queueLimit: 1, entry: [] });
  /** The fault lasts while this file exists. */
  readonly file = temporaryFile('fault');

  constructor(
    mode: SandboxMode,
    readonly image: Uint8Array = graphicPng(16, 16),
  ) {
    this.sandbox = sandboxed(mode, ODD_WORKER, dirname(this.file));
  }

  /** Starts a pool of one worker, unless the options say otherwise. */
  async start(fault: string, options: Partial<WorkerPoolOptions> = {}) {
    this.setFault();
    this.lost.length = 0;
    const entry = [ODD_WORKER, fault, this.file];
    const onWorkerLost = (cause: string) => this.lost.push(cause);
    const { sandbox } = this;
    const all = { workers: 1, queueLimit: 4, sandbox, onWorkerLost, ...options, entry };
    this.pool = new WorkerPool(all);
    await this.pool.start();
    await until(() => this.pool.state().ready >= (all.workersAtStart ?? all.workers));
  }

  setFault() {
    writeFileSync(this.file, '');
  }

  readonly removeFault = () => rmSync(this.file, { force: true });

  readonly run = (
    options: Partial<RunOptions> = {},
    image = this.image,
    task: Partial<CompressTask> = {},
  ) => {
    const { signal } = new AbortController();
    return this.pool.run(
      { kind: 'compress', image, policy, ...task },
      { deadlineAt: Infinity, signal, ...options },
    );
  };

  readonly untilBusy = () => until(() => this.pool.state().busy > 0);
}

/** Declares tests of a pool in each mode of the sandbox. Each test starts it. */
export function withOddPools(declare: (odd: OddPool, mode: SandboxMode) => void, image?: Uint8Array) {
  describe.each(MODES)('with the sandbox %s', (mode) => {
    const odd = new OddPool(mode, image);
    afterEach(() => odd.pool.stop());
    declare(odd, mode);
  });
}

export function reasonOf(outcome: Promise<unknown>) {
  return outcome.then(
    () => 'done',
    (error: unknown) => (error as { reason?: string }).reason,
  );
}
