/** One image on its way through the pool: waiting, in work, or settled, once. */
import {
  CompressionUnavailable,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/compression-runner.port';
import type { CompressedImage, ImageFormat } from '../../domain/compression-report';
import { fitWithin, type Dimensions } from '../../domain/dimensions';
import { memoryDemand } from '../../domain/memory-demand';
import type { Worker } from './worker';

export class Job {
  readonly result: Promise<RunResult>;
  /** Pixels of the result. */
  readonly pixels: number;
  /** Bytes of memory that a worker takes for it at most. */
  readonly demandBytes: number;
  /** Set while it is in work. */
  worker: Worker | undefined;
  hasLostWorker = false;
  private readonly queuedAt = performance.now();
  private startedAt = 0;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: (result: RunResult) => void;
  private reject!: (error: Error) => void;
  private hasSettled = false;

  /** @param onGivenUp called when the time is up or the caller has left, before it was done */
  constructor(
    readonly image: Uint8Array,
    readonly header: { readonly format: ImageFormat; readonly dimensions: Dimensions },
    readonly options: RunOptions,
    private readonly onGivenUp: (job: Job) => void,
  ) {
    const { width, height } = fitWithin(header.dimensions, options.policy.maxDimensionPx);
    this.pixels = width * height;
    this.demandBytes = memoryDemand(header.format, header.dimensions, options.policy.maxDimensionPx);
    this.result = new Promise<RunResult>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = Number.isFinite(this.msLeft)
      ? setTimeout(() => this.giveUp('deadline_exceeded'), this.msLeft)
      : undefined;
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get isSettled(): boolean {
    return this.hasSettled;
  }

  get msLeft(): number {
    return this.options.deadlineAt - performance.now();
  }

  /** Milliseconds in work so far. */
  get workedMs(): number {
    return performance.now() - this.startedAt;
  }

  startOn(worker: Worker): void {
    this.worker = worker;
    this.startedAt = performance.now();
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
