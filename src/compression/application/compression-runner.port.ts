/** The port to whatever runs compressions, such as a pool of worker processes. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';

export interface RunOptions {
  readonly policy: CompressionPolicy;
  /** On the clock of performance.now(), counted from the arrival of the image. */
  readonly deadlineAt: number;
  /** Aborted when the caller no longer needs the result; frees the place in the queue or the worker. */
  readonly signal: AbortSignal;
  /** The account of the image; accounts take turns. Absent for work without an account, such as probes. */
  readonly account?: string;
  /** Called with the size of the result before memory for it is allocated; may throw to refuse it. */
  readonly onResultSize?: (bytes: number) => void;
  /** Goes to the front of the queue, even if the queue is full. For probes. */
  readonly isUrgent?: boolean;
}

export interface RunResult extends CompressedImage {
  /** Milliseconds spent waiting for a worker. */
  readonly queueMs: number;
  /** Whether the result was remembered or shared with a concurrent request, so that no worker was used for this one. */
  readonly isRemembered?: boolean;
}

/** Why a valid image was not compressed. */
export type UnavailableReason = 'overloaded' | 'deadline_exceeded' | 'cancelled' | 'worker_lost' | 'stopped';

export class CompressionUnavailable extends Error {
  constructor(readonly reason: UnavailableReason) {
    super(`Compression unavailable: ${reason}`);
    this.name = 'CompressionUnavailable';
  }
}

export interface RunnerState {
  /** Workers that are running and have loaded their codecs. */
  readonly ready: number;
  readonly busy: number;
  readonly queued: number;
  /** Whether neither a worker nor a place in the queue is free. */
  readonly isFull: boolean;
  /** The time of the last finished image on the clock of performance.now(); undefined before the first. */
  readonly lastFinishedAt: number | undefined;
  /** Memory reserved for images in progress, in bytes. */
  readonly pixelBytes: number;
  /** Workers that exited unexpectedly since the start. */
  readonly workersLost: number;
}

export abstract class CompressionRunner {
  /**
   * Compresses one image.
   * @throws ImageRefused when the image cannot be compressed
   * @throws CompressionUnavailable when the service cannot compress it now
   */
  abstract run(image: Uint8Array, options: RunOptions): Promise<RunResult>;

  /** Returns whether an image of this account would be accepted now; call it before its upload is read. */
  abstract hasPlaceFor(account: string): boolean;

  abstract state(): RunnerState;
}
