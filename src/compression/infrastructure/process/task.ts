/** An image in the pool, from its arrival to its last result. */
import { resultTooLarge } from '../../../contract/image-problems';
import type { Problem } from '../../../contract/problem';
import type { ResultFormats } from '../../../contract/result-formats';
import {
  CompressionUnavailable,
  type RunOptions,
  type RunSetOptions,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { CompressedImage } from '../../domain/compression-report';
import { largestFit } from '../../domain/dimensions';
import { animationMemory, memoryDemand } from '../../domain/memory-demand';
import type { DeclaredImage } from '../../formats/image-header';
import { Job } from '../queue/turns';
import type { Worker } from './worker';

/** Four 16-bit samples per pixel. No result needs more, besides its metadata. */
const MAX_BYTES_PER_PIXEL = 8;
/** An inflated colour profile, and everything else around the pixels. */
const MAX_METADATA_BYTES = 8 * 1024 * 1024;

export type TaskOptions = RunSetOptions & Pick<RunOptions, 'isUrgent' | 'compared'>;

interface TaskInput {
  readonly image: Uint8Array;
  readonly header: DeclaredImage;
  readonly options: TaskOptions;
  /** Memory of an image as a multiple of memoryDemand(). */
  readonly memoryFactor: number;
  readonly resultFormats: ResultFormats | undefined;
  /** Called when the deadline passes or the caller cancels before the task is done. */
  readonly onGivenUp: (task: Task) => void;
}

export class Task extends Job {
  /** Resolves after the last result. */
  readonly result: Promise<void>;
  readonly image: Uint8Array;
  readonly options: TaskOptions;
  /** When the last image was finished, on the clock of performance.now(). */
  finishedAt: number | undefined;
  /** Set while a worker has the image. */
  worker: Worker | undefined;
  hasLostWorker = false;
  /** Why the image, or its next result, is refused. */
  refusal: Error | undefined;
  /** The largest plausible result, in bytes. */
  private readonly maxResultBytes: number;
  private readonly onGivenUp: (task: Task) => void;
  private readonly arrivedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  /** Number of results so far. */
  private delivered = 0;
  /** The times of all results so far, in milliseconds. */
  private told = { ranMs: 0, suspendedMs: 0, queueMs: 0 };
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: () => void;
  private reject!: (error: Error) => void;
  private hasSettled = false;

  constructor(input: TaskInput) {
    const { image, header, options, onGivenUp } = input;
    super(options.account ?? '', input.memoryFactor * demandOf(input));
    this.isUrgent = options.isUrgent === true;
    this.image = image;
    this.options = options;
    this.onGivenUp = onGivenUp;
    const pixels = options.policies.map((policy) => {
      const { width, height } = largestFit(header.dimensions, policy);
      return width * height;
    });
    this.maxResultBytes = Math.max(...pixels) * MAX_BYTES_PER_PIXEL + image.length + MAX_METADATA_BYTES;
    this.result = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.giveUpAfter(options.deadlineAt - this.arrivedAt);
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get isSettled(): boolean {
    return this.hasSettled;
  }

  /** Milliseconds since its arrival. */
  get ageMs(): number {
    return performance.now() - this.arrivedAt;
  }

  get compared(): RunOptions['compared'] {
    return this.options.compared;
  }

  /** The policies of the results to come. */
  get policies(): readonly CompressionPolicy[] {
    return this.options.policies.slice(this.delivered);
  }

  /** Returns whether memory for a result of this size may be allocated; otherwise sets the refusal. */
  admits(bytes: number): boolean {
    try {
      if (bytes > this.maxResultBytes) throw resultTooLarge(this.maxResultBytes, bytes);
      this.options.onResultSize?.(bytes);
      return true;
    } catch (error) {
      this.refusal = error as Error;
      return false;
    }
  }

  /** Passes on a result with its share of the times, or why there is none. Call it once for each policy, in their order. */
  deliver(result: CompressedImage | Error): void {
    if (this.hasSettled) return;
    this.delivered++;
    this.giveUpAfter(this.options.deadlineMs);
    if (result instanceof Error) return this.options.onResult(result as Problem);
    this.finishedAt = performance.now();
    const { ranMs, suspendedMs, ageMs, told } = this;
    this.told = { ranMs, suspendedMs, queueMs: ageMs - ranMs };
    this.options.onResult({
      ...result,
      ranMs: ranMs - told.ranMs,
      suspendedMs: suspendedMs - told.suspendedMs,
      queueMs: this.told.queueMs - told.queueMs,
    });
  }

  done(): void {
    this.settle(() => this.resolve());
  }

  fail(error: Error): void {
    this.settle(() => this.reject(error));
  }

  giveUp(reason: UnavailableReason): void {
    if (this.hasSettled) return;
    this.fail(new CompressionUnavailable(reason));
    this.onGivenUp(this);
  }

  private giveUpAfter(ms: number): void {
    clearTimeout(this.timer);
    if (Number.isFinite(ms)) this.timer = setTimeout(() => this.giveUp('deadline_exceeded'), ms);
  }

  private settle(outcome: () => void): void {
    if (this.hasSettled) return;
    this.hasSettled = true;
    clearTimeout(this.timer);
    this.options.signal.removeEventListener('abort', this.onAbort);
    outcome();
  }
}

/** Returns the demand of the largest result. */
function demandOf({ image, header, options: { policies }, resultFormats }: TaskInput): number {
  if (header.frames) return animationMemory(header.frames, image.length);
  const demands = policies.map((policy) => memoryDemand(header, policy, image.length, resultFormats));
  return Math.max(...demands);
}
