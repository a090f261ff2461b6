/**
 * The worker processes of one command, and the lanes in which its images wait for them. They end with the
 * command.
 */
import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { ImageTask, ResultOf } from '../../compression/application/running/task';
import { compressingWith } from '../../compression/infrastructure/process/spawn-worker';
import { WorkersUnusable } from '../../compression/infrastructure/sandbox/sandbox';
import { WorkerPool } from '../../compression/infrastructure/process/worker-pool';
import type { Formats } from '../../contract/formats';
import type { ImageSettings } from '../options';
import { CliFailure } from '../outcome';
import { EarlierResults } from './earlier-results';
import { describeFault, isLasting, type Fault } from './file-faults';

export interface WorkerHandle {
  /** The first call starts them. @throws CliFailure when none can be started */
  readonly run: <T extends ImageTask>(task: T) => Promise<ResultOf<T>>;
  readonly lanes: number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  readonly policy: CompressionPolicy;
  readonly knownFormats: Formats;
  /** Absent if everything is to be compressed again. */
  readonly earlier?: EarlierResults | undefined;
}

/** Workers start with the first image: often there is none to compress. */
export async function withWorkers(
  settings: ImageSettings,
  images: number,
  work: (workers: WorkerHandle) => Promise<void>,
  isAllAgain = true,
): Promise<void> {
  const { pool, memory, sandbox, policy, knownFormats } = settings;
  const earlier = isAllAgain ? undefined : await EarlierResults.open(settings);
  const { signal, stopListening } = onInterruption();
  const lanes = Math.max(1, Math.min(pool.workers, images));
  const onNotice = (notice: string) => process.stderr.write(`${notice}\n`);
  // No uploads are held here: all of the memory is for pixels.
  const pixelBytes = memory.uploadBytes + memory.pixelBytes;
  const pooled = new WorkerPool({
    ...compressingWith(settings),
    workers: lanes,
    queueLimit: Infinity,
    pixelBytes,
    onNotice,
    onSandbox: ({ sandbox: { protection }, summary }) => {
      if (sandbox !== 'off' && protection !== 'bubblewrap') onNotice(summary);
    },
  });
  let started: Promise<void> | undefined;
  const run: WorkerHandle['run'] = async (task) => {
    await (started ??= startPool(pooled));
    return pooled.run(task, { signal, deadlineAt: Infinity });
  };
  try {
    return await work({ run, lanes, signal, policy, knownFormats, earlier });
  } finally {
    pooled.stop();
    stopListening();
  }
}

/** @throws CliFailure when no worker can be started */
export function startPool(pool: WorkerPool): Promise<void> {
  return pool.start().catch((error: unknown) => {
    throw error instanceof WorkersUnusable ? new CliFailure(`${error.message}.`) : error;
  });
}

/** The first SIGINT, SIGTERM or SIGHUP aborts, to stop cleanly; the second exits at once. The exit code names it, as shells expect. */
function onInterruption() {
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    process.exitCode = 128 + constants.signals[signal];
    if (controller.signal.aborted) process.exit();
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const stopListening = () => signals.forEach((signal) => process.off(signal, interrupt));
  // One for each image.
  setMaxListeners(0, controller.signal);
  return { signal: controller.signal, stopListening };
}

/** Stops at an abort, or at a fault that the next job would meet too. @throws an error that is a bug */
export async function inLanes<Job>(
  jobs: readonly Job[],
  { lanes, signal }: Pick<WorkerHandle, 'lanes' | 'signal'>,
  work: (job: Job) => Promise<void>,
  onFault: (job: Job, fault: Fault) => void,
): Promise<void> {
  const waiting = jobs[Symbol.iterator]();
  let isStopped = false;
  const lane = async () => {
    for (const job of waiting) {
      if (signal.aborted || isStopped) return;
      await work(job).catch((error: unknown) => {
        if (signal.aborted) return;
        const fault = describeFault(error);
        if (isLasting(fault)) isStopped = true;
        onFault(job, fault);
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
