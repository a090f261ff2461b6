/** Worker processes behind a bounded queue. A worker that dies is replaced; its image is retried once. */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunTimes,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { ImageTask, ResultOf } from '../../application/running/task';
import { Formats } from '../../../contract/formats';
import { readAcceptedHeader, refuseManyPixels } from '../../formats/image-header';
import { Scheduler } from '../queue/scheduler';
import { canSuspendProcesses } from './spawn-worker';
import { headerOfAdded, ImageJob, type MemoryOptions } from './image-job';
import type { Worker } from './worker';
import { WorkerSupervisor, type WorkerSupervisorOptions } from './worker-supervisor';

/** Processes for suspended images, or as many as there are workers if that is more. Their memory counts towards the budget. */
const MIN_SPARES = 16;
/** The share of its deadline that an image may wait behind others of its account. */
const WAITING_SHARE = 0.5;

export interface WorkerPoolOptions extends WorkerSupervisorOptions, MemoryOptions {
  readonly queueLimit: number;
  /** Memory budget for all images in progress, in bytes. Unlimited if absent. */
  readonly pixelBytes?: number;
  /** Whether several accounts share the workers, so that long images are suspended for others; false if absent. */
  readonly isShared?: boolean;
}

export class WorkerPool extends CompressionRunner {
  private readonly supervisor: WorkerSupervisor;
  private readonly scheduler: Scheduler<ImageJob>;
  private nextCheck: NodeJS.Timeout | undefined;
  private lastFinishedAt: number | undefined;
  private isStopped = false;

  constructor(private readonly options: WorkerPoolOptions) {
    super();
    const { workers, queueLimit } = options;
    const canSuspend = options.isShared === true && canSuspendProcesses();
    const spares = canSuspend ? Math.max(workers, MIN_SPARES) : 0;
    this.supervisor = new WorkerSupervisor(
      options,
      spares,
      () => this.assign(),
      () => this.failWaiting('worker_lost'),
    );
    const { pixelBytes: memoryBytes = Infinity } = options;
    const processes = workers + spares;
    this.scheduler = new Scheduler(
      { workers, canSuspend, memoryBytes, processes, queueLimit },
      this.supervisor,
    );
  }

  /** Resolves when the first worker has loaded its codecs. @throws WorkersUnusable when the codecs cannot be loaded */
  start(): Promise<void> {
    return this.supervisor.start();
  }

  /** Images in the queue and in progress fail with `stopped`. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.nextCheck);
    for (const job of this.scheduler.all()) job.fail(new CompressionUnavailable('stopped'));
    this.supervisor.stop();
  }

  get notices(): readonly string[] {
    return this.supervisor.notices ?? [];
  }

  state(): RunnerState {
    return {
      ...this.supervisor.state(),
      busy: this.scheduler.all('running').length,
      suspended: this.scheduler.all('suspended').length,
      queued: this.scheduler.all('waiting').length,
      lastFinishedAt: this.lastFinishedAt,
      pixelBytes: this.scheduler.usedBytes,
    };
  }

  hasPlaceFor(account?: string): boolean {
    return this.scheduler.hasPlaceFor(account);
  }

  promisePlace(account?: string): number {
    return Math.ceil(this.scheduler.promisePlace(account) / 1_000);
  }

  async run<T extends ImageTask>(task: T, options: RunOptions): Promise<ResultOf<T> & RunTimes> {
    const { image, policy } = task;
    const { knownFormats = Formats.builtIn } = this.options;
    const added = task.kind === 'compress' ? knownFormats.addedUpload(image) : undefined;
    const header = added ? headerOfAdded(added.memory) : readAcceptedHeader(image, policy.maxPixels);
    this.makePlaceFor(options);
    const own = added ? { ...task, added: added.name } : task;
    const unavailable = (reason: UnavailableReason) => this.unavailable(reason, options);
    const job = new ImageJob(own, options, this.options, {
      unavailable,
      onGivenUp: (given) => this.drop(given),
    });
    job.expect(header);
    job.unmeasured = added?.memory;
    this.scheduler.add(job);
    this.assign();
    return job.result as Promise<ResultOf<T> & RunTimes>;
  }

  private unavailable(reason: UnavailableReason, { account }: RunOptions): CompressionUnavailable {
    return new CompressionUnavailable(
      reason,
      reason === 'cancelled' ? undefined : this.promisePlace(account),
    );
  }

  /** @throws CompressionUnavailable */
  private makePlaceFor(options: RunOptions): void {
    if (this.isStopped) throw new CompressionUnavailable('stopped');
    if (options.signal.aborted) throw this.unavailable('cancelled', options);
    if (options.deadlineAt <= performance.now() || this.isTooLateFor(options))
      throw this.unavailable('deadline_exceeded', options);
    if (options.isUrgent) return;
    if (!this.hasPlaceFor(options.account ?? '')) throw this.unavailable('overloaded', options);
    if (this.scheduler.isFull) this.scheduler.replaceable?.giveUp('overloaded');
  }

  private assign(): void {
    clearTimeout(this.nextCheck);
    if (this.isStopped) return;
    for (let step = this.scheduler.next(); step; step = this.scheduler.next()) {
      step.suspended?.worker?.suspend();
      if (step.job.worker) step.job.worker.resume();
      else void this.work(step.job);
    }
    const ms = this.scheduler.checkAfterMs;
    if (ms !== undefined) this.nextCheck = setTimeout(() => this.assign(), ms).unref();
  }

  private async work(job: ImageJob): Promise<void> {
    const worker = (job.worker = this.supervisor.take());
    job.options.onStarted?.();
    try {
      const result = await this.visit(worker, job);
      this.lastFinishedAt = performance.now();
      if (result) this.scheduler.remove(job);
      if (result) job.done(result);
      else job.worker = undefined;
    } catch (error) {
      this.scheduler.remove(job);
      this.onFailure(job, error as Error);
    }
    worker.free();
    this.assign();
    if (worker.isReady) this.supervisor.onFinished();
  }

  /** Undefined if the image waits again: there is no room for what it needs by its size, which only a sandboxed worker reads. */
  private async visit(worker: Worker, job: ImageJob): Promise<ResultOf<ImageTask> | undefined> {
    const { task, unmeasured } = job;
    if (unmeasured) {
      const size = await worker.perform({ kind: 'measure', image: task.image }, job);
      refuseManyPixels(size, task.policy.maxPixels);
      job.expect(headerOfAdded(unmeasured, size));
      job.unmeasured = undefined;
      if (!this.scheduler.goesOn(job)) return undefined;
    }
    return worker.perform(task, job);
  }

  /** Retries once if the worker was lost, which may have nothing to do with the image. */
  private onFailure(job: ImageJob, error: Error): void {
    const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
    if (!isLost || job.isSettled || job.hasLostWorker || this.isStopped) return job.fail(error);
    job.hasLostWorker = true;
    job.worker = undefined;
    this.scheduler.add(job);
  }

  private drop(job: ImageJob): void {
    // A codec cannot be interrupted, so its process is killed and replaced.
    if (job.worker) return job.worker.dismiss();
    this.scheduler.remove(job);
    this.assign();
  }

  private failWaiting(reason: UnavailableReason): void {
    for (const job of this.scheduler.all('waiting')) {
      this.scheduler.remove(job);
      job.fail(new CompressionUnavailable(reason));
    }
  }

  /** In a queue longer than the deadline, all images would be killed shortly after they start. */
  private isTooLateFor({ account = '', deadlineAt }: RunOptions): boolean {
    if (this.scheduler.hasFreeWorker) return false;
    const oldest = this.scheduler.turns.listWaiting(account).at(0);
    return oldest !== undefined && oldest.ageMs > WAITING_SHARE * (deadlineAt - performance.now());
  }
}
