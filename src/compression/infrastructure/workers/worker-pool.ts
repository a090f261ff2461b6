/**
 * The room for CPU work: a fixed number of worker processes and a bounded queue in front of them.
 *
 * Promises: an image waits at most until its deadline, and is not begun when it cannot be done by then; a full queue
 * refuses at once; images in work together stay within the memory for pixels; a caller who leaves frees the place
 * that he held; a worker that dies costs the image it had at most, and is replaced.
 */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunResult,
} from '../../application/compression-runner.port';
import { MemoryBudget } from '../../domain/memory-budget';
import { refuseByHeader } from '../../formats/image-header';
import { Job } from './job';
import { ServiceTimes } from './service-times';
import { WorkerCrew } from './worker-crew';
import type { Worker } from './worker';

export interface WorkerPoolOptions {
  /** The script that a worker runs, and its arguments. */
  readonly entry: readonly string[];
  readonly workers: number;
  /** Images that may wait. */
  readonly queueLimit: number;
  /** Memory for the images in work together; one that needs more works alone. Unbounded when absent. */
  readonly pixelBytes?: number;
  readonly onWorkerLost?: (cause: string) => void;
}

export class WorkerPool extends CompressionRunner {
  private readonly crew: WorkerCrew;
  private readonly queue: Job[] = [];
  private readonly memory: MemoryBudget;
  private readonly serviceTimes = new ServiceTimes();
  private lastFinishedAt: number | undefined;
  private isStopped = false;

  constructor(private readonly options: WorkerPoolOptions) {
    super();
    this.memory = new MemoryBudget(options.pixelBytes ?? Infinity);
    this.crew = new WorkerCrew(options, () => this.assign());
  }

  /** Starts the workers; resolves when the first one has loaded its codecs, or has had its time to. */
  start(): Promise<void> {
    return this.crew.start();
  }

  /** Ends all workers at once; whatever still waits or runs fails with `stopped`. */
  stop(): void {
    this.isStopped = true;
    for (const job of this.queue.splice(0)) job.fail(new CompressionUnavailable('stopped'));
    this.crew.stop();
  }

  state(): RunnerState {
    const { ready, idle, lost } = this.crew.count();
    return {
      ready,
      busy: ready - idle,
      queued: this.queue.length,
      isFull: this.queue.length >= this.options.queueLimit && (idle === 0 || this.queue.length > 0),
      lastFinishedAt: this.lastFinishedAt,
      pixelBytes: this.memory.usedBytes,
      workersLost: lost,
    };
  }

  async run(image: Uint8Array, options: RunOptions): Promise<RunResult> {
    const header = refuseByHeader(image, options.policy.maxPixels);
    if (this.isStopped) throw new CompressionUnavailable('stopped');
    if (options.signal.aborted) throw new CompressionUnavailable('cancelled');
    if (options.deadlineAt <= performance.now()) throw new CompressionUnavailable('deadline_exceeded');
    if (this.state().isFull && !options.isUrgent) throw new CompressionUnavailable('overloaded');
    const job = new Job(image, header, options, (givenUp) => this.drop(givenUp));
    if (options.isUrgent) this.queue.unshift(job);
    else this.queue.push(job);
    this.assign();
    return job.result;
  }

  /** Gives waiting jobs to idle workers, first come first served, as far as the memory reaches. */
  private assign(): void {
    for (let job = this.queue.at(0); job; job = this.queue.at(0)) {
      const worker = this.crew.idleWorker();
      if (!worker) return;
      if (job.msLeft < this.serviceTimes.least(job.header.format, job.pixels)) {
        job.giveUp('deadline_exceeded');
        continue;
      }
      const release = this.memory.claim(job.demandBytes);
      if (!release) return;
      this.queue.shift();
      void this.work(job, worker).finally(() => {
        release();
        this.assign();
      });
    }
  }

  private async work(job: Job, worker: Worker): Promise<void> {
    job.startOn(worker);
    try {
      const compressed = await worker.compress(job.image, job.options.policy, job.msLeft);
      this.lastFinishedAt = performance.now();
      this.serviceTimes.record(job.header.format, job.pixels, job.workedMs);
      job.done(compressed);
    } catch (error) {
      this.onFailure(job, error as Error);
    }
  }

  /** A worker may have been killed for reasons that have nothing to do with its image: that gets a second try. */
  private onFailure(job: Job, error: Error): void {
    const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
    if (!isLost || job.isSettled || job.hasLostWorker || this.isStopped) return job.fail(error);
    job.hasLostWorker = true;
    job.worker = undefined;
    this.queue.unshift(job);
  }

  private drop(job: Job): void {
    const waiting = this.queue.indexOf(job);
    if (waiting >= 0) this.queue.splice(waiting, 1);
    // A codec cannot be interrupted: the process is, and a new one takes its place.
    else if (job.worker) this.crew.dismiss(job.worker);
  }
}
