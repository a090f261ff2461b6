/** Worker processes for the time of one command, and no longer. */
import type { CompressionRunner } from '../../compression/application/compression-runner.port';
import { compressingWith } from '../../compression/infrastructure/workers/compressing-workers';
import { WorkersUnusable } from '../../compression/infrastructure/workers/worker-supervisor';
import { WorkerPool } from '../../compression/infrastructure/workers/worker-pool';
import type { Settings } from '../../settings/settings';
import { CliFailure } from '../exit';
import { onInterruption } from './interruption';

/** What a command works with. */
export interface Workshop {
  readonly runner: Pick<CompressionRunner, 'run'>;
  /** Images at a time. */
  readonly lanes: number;
  /** Aborted by Ctrl-C and its relatives. */
  readonly signal: AbortSignal;
}

/** The workers are started for the first image: often there is none to compress. */
export async function withWorkers(
  { compression: { pool, engine, memory } }: Settings,
  images: number,
  work: (workshop: Workshop) => Promise<void>,
): Promise<void> {
  const signal = onInterruption();
  const lanes = Math.max(1, Math.min(pool.workers, images));
  const onNotice = (notice: string) => process.stderr.write(`${notice}\n`);
  // No uploads are held here: all of the memory is for pixels.
  const pixelBytes = memory.uploadBytes + memory.pixelBytes;
  const workers = new WorkerPool({
    ...compressingWith(engine),
    workers: lanes,
    queueLimit: lanes,
    pixelBytes,
    onNotice,
  });
  let isStarted: Promise<void> | undefined;
  const runner: Workshop['runner'] = {
    run: async (...image) => {
      await (isStarted ??= start(workers));
      return workers.run(...image);
    },
  };
  try {
    await work({ runner, lanes, signal });
  } finally {
    workers.stop();
  }
}

/** @throws CliFailure when no worker can be started */
async function start(workers: WorkerPool): Promise<void> {
  try {
    await workers.start();
  } catch (error) {
    throw error instanceof WorkersUnusable ? new CliFailure(`${error.message}.`) : error;
  }
}
