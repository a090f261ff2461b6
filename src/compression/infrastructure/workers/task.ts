/** An image in the pool: queued, in progress or settled. */
import {
  CompressionUnavailable,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import { compressionCost, dearestTarget, type TargetName } from '../../domain/compression-cost';
import type { CompressedImage } from '../../domain/compression-report';
import { largestFit } from '../../domain/dimensions';
import { animationMemory, memoryDemand } from '../../domain/memory-demand';
import type { DeclaredImage } from '../../formats/image-header';
import type { Worker } from './worker';

/** Four 16-bit samples per pixel. No result needs more, besides its metadata. */
const MAX_BYTES_PER_PIXEL = 8;
const FRAMING_BYTES = 1024 * 1024;

interface TaskInput {
  readonly image: Uint8Array;
  readonly header: DeclaredImage;
  readonly options: RunOptions;
  readonly memoryFactor: number;
  /** Called when the deadline passes or the caller cancels before the task is done. */
  readonly onGivenUp: (task: Task) => void;
}

export class Task {
  readonly result: Promise<RunResult>;
  /** Most pixels that the result can have. */
  private readonly pixels: number;
  /** Most memory that a worker needs for it, in bytes. */
  readonly demandBytes: number;
  /** The format of the result; if it may have several, the one that costs most. */
  readonly target: TargetName;
  /** See compressionCost(). */
  readonly cost: number;
  /** Set while the task is in progress. */
  worker: Worker | undefined;
  hasLostWorker = false;
  /** Predicted CPU time in milliseconds; see ServiceTimes. */
  expectedMs = 0;
  /** Predicted CPU time of the images that began while it was this task's turn, in milliseconds. */
  passedMs = 0;
  private readonly queuedAt = performance.now();
  private startedAt = 0;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: (result: RunResult) => void;
  private reject!: (error: Error) => void;
  private hasSettled = false;

  readonly image: Uint8Array;
  readonly header: DeclaredImage;
  readonly options: RunOptions;
  private readonly onGivenUp: (task: Task) => void;

  constructor({ image, header, options, memoryFactor, onGivenUp }: TaskInput) {
    this.image = image;
    this.header = header;
    this.options = options;
    this.onGivenUp = onGivenUp;
    const { width, height } = largestFit(header.dimensions, options.policy);
    this.pixels = width * height;
    const { format, dimensions, heldBytes, frames } = header;
    this.target = dearestTarget(format, options.policy.formats);
    this.cost = compressionCost(header, options.policy, this.target);
    const bytes = frames
      ? animationMemory(frames, image.length)
      : memoryDemand(format, dimensions, options.policy, heldBytes, image.length);
    this.demandBytes = memoryFactor * bytes;
    this.result = new Promise<RunResult>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = Number.isFinite(this.msLeft)
      ? setTimeout(() => this.giveUp('deadline_exceeded'), this.msLeft)
      : undefined;
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  /** A worker that sends more is faulty. */
  get maxResultBytes(): number {
    return this.pixels * MAX_BYTES_PER_PIXEL + this.image.length + FRAMING_BYTES;
  }

  get isSettled(): boolean {
    return this.hasSettled;
  }

  get msLeft(): number {
    return this.options.deadlineAt - performance.now();
  }

  /** The account that sent the image; empty for tasks of the service itself and of the command line. */
  get account(): string {
    return this.options.account ?? '';
  }

  get waitedMs(): number {
    return performance.now() - this.queuedAt;
  }

  /** Milliseconds since a worker started the task. */
  get workedMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Milliseconds by which the task in progress exceeds its prediction so far. */
  get overrunMs(): number {
    return this.worker ? Math.max(0, this.workedMs - this.expectedMs) : 0;
  }

  startOn(worker: Worker): void {
    this.worker = worker;
    this.startedAt = performance.now();
    this.options.onStarted?.();
  }

  done(image: CompressedImage): void {
    const queueMs = this.startedAt - this.queuedAt;
    this.settle(() => this.resolve({ ...image, queueMs }));
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
