/** One image in the queue: its memory, its deadline, and its result. */
import { resultTooLarge } from '../../../contract/image-problems';
import type { Formats } from '../../../contract/formats';
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
import { Job } from '../queue/turns';
import type { Worker } from './worker';
import type { WorkerResult } from './worker-messages';

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
  readonly maxImageBytes: number;
  readonly knownFormats: Formats | undefined;
  /** Called when the deadline passes or the caller cancels before the task is done. */
  readonly onGivenUp: (task: Task) => void;
}

/** Of 115 images of up to 268 megapixels, none took more than 0.95 times its estimate. */
const MARGIN = 1.25;
const SLACK_BYTES = 128 * 1024 * 1024;

export type TaskResult = WorkerResult & Omit<RunResult, keyof CompressedImage>;

export class Task extends Job {
  readonly result: Promise<TaskResult>;
  readonly image: Uint8Array;
  readonly options: RunOptions;
  worker: Worker | undefined;
  hasLostWorker = false;
  refusal: Error | undefined;
  /** The memory by which a worker may grow: decoders are compiled code that reads untrusted files. */
  readonly maxGrowthBytes: number;
  private readonly maxResultBytes: number;
  private readonly onGivenUp: (task: Task) => void;
  private readonly arrivedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: (result: TaskResult) => void;
  private reject!: (error: Error) => void;
  private hasSettled = false;

  constructor(input: TaskInput) {
    const { image, header, options, onGivenUp } = input;
    super(options.account ?? '', input.memoryFactor * estimateDemand(input));
    this.isUrgent = options.isUrgent === true;
    this.image = image;
    this.options = options;
    this.onGivenUp = onGivenUp;
    this.maxGrowthBytes = Math.min(this.demandBytes * MARGIN + SLACK_BYTES, input.maxImageBytes);
    const { width, height } = largestFit(header.dimensions, options.policy);
    this.maxResultBytes = width * height * MAX_BYTES_PER_PIXEL + image.length + MAX_METADATA_BYTES;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const ms = options.deadlineAt - this.arrivedAt;
    if (Number.isFinite(ms)) this.timer = setTimeout(() => this.giveUp('deadline_exceeded'), ms);
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get isSettled(): boolean {
    return this.hasSettled;
  }

  get ageMs(): number {
    return performance.now() - this.arrivedAt;
  }

  /** Otherwise sets the refusal. */
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

  done(result: WorkerResult): void {
    const { ranMs, suspendedMs, ageMs } = this;
    this.settle(() => this.resolve({ ...result, ranMs, suspendedMs, queueMs: ageMs - ranMs }));
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

function estimateDemand({ image, header, options: { policy }, knownFormats }: TaskInput): number {
  if (header.frames) return animationMemory(header.frames, image.length);
  return memoryDemand(header, policy, image.length, knownFormats);
}
