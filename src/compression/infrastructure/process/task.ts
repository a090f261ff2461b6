/** An image in the pool, from its arrival to its result. */
import { resultTooLarge } from '../../../contract/image-problems';
import {
  CompressionUnavailable,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { CompressedImage } from '../../domain/compression-report';
import { largestFit } from '../../domain/dimensions';
import { animationMemory, memoryDemand } from '../../domain/memory-demand';
import type { DeclaredImage } from '../../formats/image-header';
import { Job } from '../queue/job';
import type { Worker } from './worker';

/** Four 16-bit samples per pixel. No result needs more, besides its metadata. */
const MAX_BYTES_PER_PIXEL = 8;
/** An inflated colour profile, and everything else around the pixels. */
const MAX_METADATA_BYTES = 8 * 1024 * 1024;

interface TaskInput {
  readonly image: Uint8Array;
  readonly header: DeclaredImage;
  readonly options: RunOptions;
  /** Memory of an image as a multiple of memoryDemand(). */
  readonly memoryFactor: number;
  /** Called when the deadline passes or the caller cancels before the task is done. */
  readonly onGivenUp: (task: Task) => void;
}

export class Task extends Job {
  readonly result: Promise<RunResult>;
  readonly image: Uint8Array;
  readonly options: RunOptions;
  /** Set while a worker has the image. */
  worker: Worker | undefined;
  hasLostWorker = false;
  /** The largest plausible result, in bytes. */
  private readonly maxResultBytes: number;
  private readonly onGivenUp: (task: Task) => void;
  private readonly arrivedAt = performance.now();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: (result: RunResult) => void;
  private reject!: (error: Error) => void;
  private hasSettled = false;

  constructor({ image, header, options, memoryFactor, onGivenUp }: TaskInput) {
    super(options.account ?? '', memoryFactor * demandOf(image, header, options));
    this.isUrgent = options.isUrgent === true;
    this.image = image;
    this.options = options;
    this.onGivenUp = onGivenUp;
    const { width, height } = largestFit(header.dimensions, options.policy);
    this.maxResultBytes = width * height * MAX_BYTES_PER_PIXEL + image.length + MAX_METADATA_BYTES;
    this.result = new Promise<RunResult>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const msLeft = options.deadlineAt - this.arrivedAt;
    if (Number.isFinite(msLeft)) this.timer = setTimeout(() => this.giveUp('deadline_exceeded'), msLeft);
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get isSettled(): boolean {
    return this.hasSettled;
  }

  /** Milliseconds since its arrival. */
  get ageMs(): number {
    return performance.now() - this.arrivedAt;
  }

  /**
   * Call this with the size of the result before memory for it is allocated.
   * @throws Problem if the result is too large
   */
  admitResult(bytes: number): void {
    if (bytes > this.maxResultBytes) throw resultTooLarge(this.maxResultBytes, bytes);
    this.options.onResultSize?.(bytes);
  }

  done(image: CompressedImage): void {
    const { ranMs, suspendedMs } = this;
    this.settle(() => this.resolve({ ...image, ranMs, suspendedMs, queueMs: this.ageMs - ranMs }));
  }

  fail(error: Error): void {
    this.settle(() => this.reject(error));
  }

  giveUp(reason: UnavailableReason): void {
    if (this.hasSettled) return;
    this.fail(new CompressionUnavailable(reason));
    this.onGivenUp(this);
  }

  private settle(outcome: () => void): void {
    if (this.hasSettled) return;
    this.hasSettled = true;
    clearTimeout(this.timer);
    this.options.signal.removeEventListener('abort', this.onAbort);
    outcome();
  }
}

function demandOf(image: Uint8Array, header: DeclaredImage, { policy }: RunOptions): number {
  const { format, dimensions, heldBytes, frames } = header;
  return frames
    ? animationMemory(frames, image.length)
    : memoryDemand(format, dimensions, policy, heldBytes, image.length);
}
