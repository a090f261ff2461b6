/** Where compressions run: the application asks, something with CPU answers. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';

export interface RunOptions {
  readonly policy: CompressionPolicy;
  /** On the clock of performance.now(); counted from the arrival of the request. */
  readonly deadlineAt: number;
  /** Aborted when nobody waits for the answer any more; frees the place in the queue or the worker. */
  readonly signal: AbortSignal;
}

export interface RunResult extends CompressedImage {
  /** Milliseconds spent waiting for a worker. */
  readonly queueMs: number;
}

/** Why an image that may be fine was not compressed. */
export type UnavailableReason = 'overloaded' | 'deadline_exceeded' | 'cancelled' | 'worker_lost' | 'stopped';

export class CompressionUnavailable extends Error {
  constructor(readonly reason: UnavailableReason) {
    super(`Compression unavailable: ${reason}`);
    this.name = 'CompressionUnavailable';
  }
}

export interface RunnerState {
  /** Workers that have loaded their codecs and are alive. */
  readonly ready: number;
  readonly busy: number;
  readonly queued: number;
  /** No place is left, not even to wait. */
  readonly isFull: boolean;
}

export abstract class CompressionRunner {
  /**
   * Compresses one image.
   * @throws ImageRefused when the image is at fault, CompressionUnavailable when the service is.
   */
  abstract run(image: Uint8Array, options: RunOptions): Promise<RunResult>;

  abstract state(): RunnerState;
}
