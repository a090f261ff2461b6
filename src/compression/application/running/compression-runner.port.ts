/** What the service process may ask of the workers: to compress or compare an image, with its limits and its deadline. */
import { deadlineExceeded, draining, overloaded, workerLost } from '../../../contract/service-problems';
import { Problem } from '../../../contract/problem';
import type { Sharer } from '../../../contract/caller';
import type { CompressTask, ImageTask, ResultOf } from './task';

export const SANDBOX_MODES = ['auto', 'required', 'off'] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** The sandboxes of workers, the strongest first. */
export const PROTECTIONS = ['bubblewrap', 'landlock', 'none'] as const;
export type Protection = (typeof PROTECTIONS)[number];

/** Its sharer is whose turn it takes. */
export interface RunOptions extends Sharer {
  /** On the clock of performance.now(). */
  readonly deadlineAt: number;
  /** Aborted when the caller no longer needs the result; frees the place in the queue, and the worker after a turn. */
  readonly signal: AbortSignal;
  /** Called when a worker takes the image, and again if it is retried. */
  readonly onStarted?: () => void;
  /** Called with the size of a result before memory for it is allocated; may throw to refuse it. */
  readonly onResultSize?: (bytes: number) => void;
  /** Goes to the front of the queue, even if the queue is full. For probes. */
  readonly isUrgent?: boolean;
}

export interface RunTimes {
  /** Milliseconds spent waiting for a worker, before it started and while it was suspended. */
  readonly queueMs: number;
  /** The part of `queueMs` while it was suspended. */
  readonly suspendedMs: number;
  readonly ranMs: number;
}

export type RunResult = ResultOf<CompressTask> & RunTimes;

export type UnavailableReason = 'overloaded' | 'deadline_exceeded' | 'cancelled' | 'worker_lost' | 'stopped';

const PROBLEMS: Readonly<Record<UnavailableReason, (retryAfterS?: number) => Problem>> = {
  overloaded,
  deadline_exceeded: deadlineExceeded,
  stopped: draining,
  cancelled: draining,
  worker_lost: workerLost,
};

export class CompressionUnavailable extends Problem {
  /** @param retryAfterS when a place is expected, for `overloaded` and `deadline_exceeded` */
  constructor(
    readonly reason: UnavailableReason,
    retryAfterS?: number,
  ) {
    const { code, detail, facts } = PROBLEMS[reason](retryAfterS);
    super(code, detail, facts);
  }
}

export interface RunnerState {
  /** Workers that are running and have loaded their codecs. */
  readonly ready: number;
  readonly busy: number;
  readonly suspended: number;
  readonly queued: number;
  /** The time of the last finished image on the clock of performance.now(); undefined before the first. */
  readonly lastFinishedAt: number | undefined;
  /** Memory reserved for images in progress, in bytes. */
  readonly pixelBytes: number;
  readonly workersLost: number;
  readonly protection: Protection;
}

export abstract class CompressionRunner {
  /**
   * The result is the image itself if the report has a skip reason.
   * @throws ImageRefused when the image cannot be compressed
   * @throws CompressionUnavailable when the service cannot compress it now
   */
  abstract run<T extends ImageTask>(task: T, options: RunOptions): Promise<ResultOf<T> & RunTimes>;

  /** Returns whether an image of this sharer would be accepted now; call it before reading the upload. */
  abstract hasPlaceFor(sharer: Sharer): boolean;

  /** Returns the seconds after which a refused image should find a place; call it once for each. */
  abstract promisePlace(sharer: Sharer): number;

  abstract state(): RunnerState;
}
