/** What a worker process is given to do. */
import type { RunOptions } from '../../application/running/compression-runner.port';
import type { CompressedImage } from '../../domain/compression-report';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { WorkerFailed } from './worker-messages';

/** An image for a worker, and the check of its results. */
export interface WorkerTask {
  readonly image: Uint8Array;
  /** One for each result. */
  readonly policies: readonly CompressionPolicy[];
  /** Present if the image is compared with it instead. */
  readonly compared?: RunOptions['compared'];
  /** Maximum expected memory, in bytes. */
  readonly demandBytes: number;
  /** Called with the size of a result before memory for it is allocated; throws to refuse it. */
  admitResult(bytes: number): void;
  /** Takes a result, the refusal of the image, or the error of admitResult. Called once for each policy, in their order. */
  deliver(result: CompressedImage | Error): void;
}

export interface RunningTask {
  readonly task: WorkerTask;
  /** Number of results to come. */
  toCome: number;
  hasBegun: boolean;
  readonly endMemoryWatch: () => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Passes a result on, and ends the task after the last one. */
export function settle(
  { task, toCome, resolve, reject }: RunningTask,
  result: CompressedImage | Error,
): void {
  if (result instanceof WorkerFailed) return reject(result);
  task.deliver(result);
  if (toCome === 0) resolve();
}
