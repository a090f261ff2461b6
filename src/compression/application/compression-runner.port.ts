/** Where compressions run: the application asks, something with CPU answers. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';

export interface RunOptions {
  readonly policy: CompressionPolicy;
  /** On the clock of performance.now(); counted from the arrival of the image. */
  readonly deadlineAt: number;
  /** Aborted when nobody waits for the answer any more; frees the place in the queue or the worker. */
  readonly signal: AbortSignal;
  /** Whose image it is: accounts take turns. Absent for work that no account asked for. */
  readonly account?: string;
  /** Told the size of a new file before it is held in memory; may throw to refuse it. */
  readonly onResultSize?: (bytes: number) => void;
  /** Goes before all others that wait, and finds a place in a full queue too: for probes. */
  readonly isUrgent?: boolean;
}

export interface RunResult extends CompressedImage {
  /** Milliseconds spent waiting for a worker. */
  readonly queueMs: number;
  /** The same bytes were compressed before, or at the same time for another request: no worker was taken for this one. */
  readonly isRemembered?: boolean;
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
  /** No place is left for anybody, not even to wait. */
  readonly isFull: boolean;
  /** When an image was last finished, on the clock of performance.now(); undefined before the first. */
  readonly lastFinishedAt: number | undefined;
  /** Memory that the images in work are expected to take at most, in bytes. */
  readonly pixelBytes: number;
  /** Workers that ended without being told to, since the start. */
  readonly workersLost: number;
}

export abstract class CompressionRunner {
  /**
   * Compresses one image.
   * @throws ImageRefused when the image is at fault, CompressionUnavailable when the service is.
   */
  abstract run(image: Uint8Array, options: RunOptions): Promise<RunResult>;

  /** Whether an image of this account would be let in now; ask before its upload is read. */
  abstract hasPlaceFor(account: string): boolean;

  abstract state(): RunnerState;
}
