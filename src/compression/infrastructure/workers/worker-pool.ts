/**
 * The room for CPU work: a fixed number of worker processes and a bounded queue in front of them.
 *
 * Promises: an image waits at most until its deadline; a full queue refuses at once; a caller who leaves frees
 * the place that he held; a worker that dies costs the image it had and is replaced.
 */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/compression-runner.port';
import { Worker } from './worker';

/** Pause before a worker that died is replaced; doubled while none gets as far as loading its codecs. */
const RESPAWN_DELAY_MS = 50;
const LONGEST_RESPAWN_DELAY_MS = 5_000;
/** A worker takes 0.1 s to load its codecs; on a machine that needs this long the readiness probe takes over. */
const START_PATIENCE_MS = 10_000;

export interface WorkerPoolOptions {
  readonly entry: readonly string[];
  readonly workers: number;
  readonly queueLimit: number;
  readonly onWorkerLost?: (cause: string) => void;
}

interface Job {
  readonly image: Uint8Array;
  readonly options: RunOptions;
  readonly queuedAt: number;
  readonly resolve: (result: RunResult) => void;
  readonly reject: (error: Error) => void;
  worker?: Worker;
  hasLostWorker?: boolean;
  isSettled: boolean;
}

export class WorkerPool extends CompressionRunner {
  private readonly workers = new Set<Worker>();
  /** Killed by us, on purpose. */
  private readonly dismissed = new WeakSet<Worker>();
  private readonly queue: Job[] = [];
  private onFirstReady: () => void = () => undefined;
  private failedStarts = 0;
  private isStopped = false;

  constructor(private readonly options: WorkerPoolOptions) {
    super();
  }

  /** Starts the workers; resolves when the first one has loaded its codecs, or has had its time to. */
  async start(): Promise<void> {
    const ready = new Promise<void>((resolve) => (this.onFirstReady = resolve));
    const patience = setTimeout(() => this.onFirstReady(), START_PATIENCE_MS);
    this.fill();
    await ready;
    clearTimeout(patience);
  }

  /** Ends all workers at once; whatever still waits or runs fails with `stopped`. */
  stop(): void {
    this.isStopped = true;
    for (const job of this.queue.splice(0)) job.reject(new CompressionUnavailable('stopped'));
    for (const worker of this.workers) worker.kill();
  }

  state(): RunnerState {
    const ready = [...this.workers].filter((worker) => worker.isReady);
    const idle = ready.filter((worker) => worker.isIdle).length;
    return {
      ready: ready.length,
      busy: ready.length - idle,
      queued: this.queue.length,
      isFull: idle === 0 && this.queue.length >= this.options.queueLimit,
    };
  }

  run(image: Uint8Array, options: RunOptions): Promise<RunResult> {
    if (this.isStopped) return Promise.reject(new CompressionUnavailable('stopped'));
    if (options.signal.aborted) return Promise.reject(new CompressionUnavailable('cancelled'));
    if (options.deadlineAt <= performance.now()) {
      return Promise.reject(new CompressionUnavailable('deadline_exceeded'));
    }
    if (this.state().isFull) return Promise.reject(new CompressionUnavailable('overloaded'));
    return new Promise<RunResult>((resolve, reject) => {
      const timer = setTimeout(
        () => this.giveUp(job, 'deadline_exceeded'),
        options.deadlineAt - performance.now(),
      );
      const onAbort = () => this.giveUp(job, 'cancelled');
      options.signal.addEventListener('abort', onAbort, { once: true });
      const settled = () => {
        job.isSettled = true;
        clearTimeout(timer);
        options.signal.removeEventListener('abort', onAbort);
      };
      const job: Job = {
        image,
        options,
        queuedAt: performance.now(),
        resolve: (result) => (settled(), resolve(result)),
        reject: (error) => (settled(), reject(error)),
        isSettled: false,
      };
      this.queue.push(job);
      this.assign();
    });
  }

  /** Gives waiting jobs to idle workers, first come first served. */
  private assign(): void {
    for (const worker of this.workers) {
      if (!worker.isIdle) continue;
      const job = this.queue.shift();
      if (!job) return;
      job.worker = worker;
      const queueMs = performance.now() - job.queuedAt;
      worker.compress(job.image, job.options.policy).then(
        (result) => job.isSettled || job.resolve({ ...result, queueMs }),
        (error: unknown) => this.onFailure(job, error as Error),
      );
    }
  }

  /** A worker may have been killed for reasons that have nothing to do with its image: that gets a second try. */
  private onFailure(job: Job, error: Error): void {
    if (job.isSettled) return;
    const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
    if (!isLost || job.hasLostWorker || this.isStopped) return job.reject(error);
    job.hasLostWorker = true;
    delete job.worker;
    this.queue.unshift(job);
    this.assign();
  }

  private giveUp(job: Job, reason: UnavailableReason): void {
    if (job.isSettled) return;
    job.reject(new CompressionUnavailable(reason));
    const waiting = this.queue.indexOf(job);
    if (waiting >= 0) this.queue.splice(waiting, 1);
    // A codec cannot be interrupted: the process is, and a new one takes its place.
    else if (job.worker) {
      this.dismissed.add(job.worker);
      job.worker.kill();
    }
  }

  private fill(): void {
    while (this.workers.size < this.options.workers) this.spawn();
  }

  private spawn(): void {
    const events = {
      onIdle: () => {
        this.failedStarts = 0;
        this.onFirstReady();
        this.assign();
      },
      onExit: (worker: Worker, cause: string) => this.replace(worker, cause),
    };
    this.workers.add(new Worker(this.options.entry, events));
  }

  private replace(worker: Worker, cause: string): void {
    this.workers.delete(worker);
    if (this.isStopped) return;
    if (!this.dismissed.has(worker)) this.options.onWorkerLost?.(cause);
    this.startLater();
  }

  private startLater(): void {
    const delay = Math.min(LONGEST_RESPAWN_DELAY_MS, RESPAWN_DELAY_MS * 2 ** this.failedStarts++);
    setTimeout(() => {
      if (this.isStopped) return;
      try {
        this.fill();
      } catch (error) {
        // The system has no process or memory left for a worker; it may have one later.
        this.options.onWorkerLost?.(String(error));
        this.startLater();
      }
    }, delay).unref();
  }
}
