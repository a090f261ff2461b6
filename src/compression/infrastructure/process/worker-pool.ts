/** Worker processes behind a bounded queue. A worker that ends is replaced; an image whose worker was lost is retried once. */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunTimes,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { ImageTask, ResultOf } from '../../application/running/task';
import type { Sharer } from '../../../contract/caller';
import { refuseOriginal } from '../../../contract/comparison-problems';
import { Formats } from '../../../contract/formats';
import { refuseManyPixels } from '../../formats/image-header';
import { Scheduler, type Processes } from '../queue/scheduler';
import { openSandbox, type OpenedSandbox, type SandboxRequest } from '../sandbox/open-sandbox';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import { canSuspendProcesses } from './spawn-worker';
import {
  headerOfDecoded,
  ImageJob,
  readHeader,
  refuseLarge,
  type MemoryOptions,
  type PoolOfJob,
} from './image-job';
import { Worker, type WorkerEvents, type WorkerExit } from './worker';

/** Processes for suspended images, or as many as there are workers if that is more. Their memory counts towards the budget. */
const MIN_SPARES = 16;
/** The share of its deadline that an image may wait behind others of its account. */
const WAITING_SHARE = 0.5;
/** Delay before a worker is replaced; doubles until a worker has loaded its codecs, or finished an image. */
const RESPAWN_DELAY_MS = 50;
const MAX_RESPAWN_DELAY_MS = 5_000;
const MAX_FAILED_STARTS = 3;
/** Of a worker until it has loaded its codecs, before one has been measured. */
const TYPICAL_START_MS = 300;

export interface WorkerPoolOptions extends MemoryOptions {
  readonly entry: readonly string[];
  readonly workers: number;
  /** Number of workers that `start` starts; after that, each image that finds no idle worker starts one. All if absent. */
  readonly workersAtStart?: number;
  readonly keepsProcessAlive?: boolean;
  readonly queueLimit: number;
  /** Memory budget for all images in progress, in bytes. Unlimited if absent. */
  readonly pixelBytes?: number;
  /** Whether several accounts share the workers, so that long images are suspended for others; false if absent. */
  readonly isShared?: boolean;
  readonly sandbox?: SandboxRequest;
  readonly onSandbox?: (opened: OpenedSandbox) => void;
  readonly onWorkerLost?: (cause: string) => void;
  readonly onNotice?: (notice: string) => void;
}

export class WorkerPool extends CompressionRunner implements Processes, PoolOfJob, WorkerEvents {
  private readonly scheduler: Scheduler<ImageJob>;
  private readonly workers = new Set<Worker>();
  /** Maximum number of processes; those beyond `workers` replace suspended ones. */
  private readonly processes: number;
  private wanted: number;
  private onFirst: ((fault?: WorkerExit) => void) | undefined;
  /** Of the first worker; all others must report the same. */
  private notices: readonly string[] | undefined;
  private failedStarts = 0;
  private lost = 0;
  private startMs = TYPICAL_START_MS;
  private sandbox: Sandbox = NO_SANDBOX;
  private respawn: NodeJS.Timeout | undefined;
  private nextCheck: NodeJS.Timeout | undefined;
  private lastFinishedAt: number | undefined;
  private isStopped = false;

  constructor(private readonly options: WorkerPoolOptions) {
    super();
    const { workers, queueLimit, isShared = false, pixelBytes: memoryBytes = Infinity } = options;
    const canSuspend = isShared && canSuspendProcesses();
    const processes = workers + (canSuspend ? Math.max(workers, MIN_SPARES) : 0);
    this.processes = processes;
    this.wanted = options.workersAtStart ?? workers;
    this.scheduler = new Scheduler({ workers, canSuspend, memoryBytes, processes, queueLimit }, this);
  }

  /**
   * Resolves when the first worker has loaded its codecs.
   * @throws WorkersUnusable when the codecs cannot be loaded, or the required sandbox is not available
   */
  async start(): Promise<void> {
    const { sandbox = { mode: 'off' }, onSandbox } = this.options;
    const opened = await openSandbox(sandbox, (candidate) => this.startFirst(candidate));
    if (this.isStopped) return;
    if (this.options.sandbox) onSandbox?.(opened);
    this.fillOrRetry();
  }

  /** Images in the queue and in progress fail with `stopped`. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.nextCheck);
    clearTimeout(this.respawn);
    for (const job of this.scheduler.all()) job.end(new CompressionUnavailable('stopped'));
    for (const worker of this.workers) worker.kill();
  }

  state(): RunnerState {
    return {
      ready: this.ready,
      busy: this.scheduler.all('running').length,
      suspended: this.scheduler.all('suspended').length,
      queued: this.scheduler.all('waiting').length,
      lastFinishedAt: this.lastFinishedAt,
      pixelBytes: this.scheduler.usedBytes,
      workersLost: this.lost,
      protection: this.sandbox.protection,
    };
  }

  hasPlaceFor(sharer: Sharer): boolean {
    return this.scheduler.hasPlaceFor(sharer);
  }

  promisePlace(sharer: Sharer): number {
    return Math.ceil(this.scheduler.promisePlace(sharer) / 1_000);
  }

  async run<T extends ImageTask>(task: T, options: RunOptions): Promise<ResultOf<T> & RunTimes> {
    const { header, unmeasured } = this.headerOf(task);
    const own = header.resultFormat === undefined ? task : { ...task, added: header.resultFormat };
    const job = new ImageJob(own, options, this.options, this);
    job.expect(header);
    job.unmeasured = unmeasured;
    const refusal = this.refusalOf(job);
    if (refusal) job.end(refusal);
    else this.enqueue(job);
    return job.result as Promise<ResultOf<T> & RunTimes>;
  }

  private headerOf(task: ImageTask) {
    try {
      const read = readHeader(task, this.options.knownFormats ?? Formats.builtIn);
      refuseLarge(read.header, this.options.maxImageBytes);
      return read;
    } catch (error) {
      if (task.kind === 'compare') refuseOriginal(error);
      throw error;
    }
  }

  unavailable(reason: UnavailableReason, options: RunOptions): CompressionUnavailable {
    return new CompressionUnavailable(
      reason,
      reason === 'cancelled' ? undefined : this.promisePlace(options),
    );
  }

  private refusalOf({ options, demandBytes }: ImageJob) {
    if (this.isStopped) return new CompressionUnavailable('stopped');
    if (options.signal.aborted) return this.unavailable('cancelled', options);
    if (options.deadlineAt <= performance.now() || this.isTooLateFor(options))
      return this.unavailable('deadline_exceeded', options);
    const hasPlace = options.isUrgent === true || this.scheduler.hasPlaceFor(options, demandBytes);
    return hasPlace ? undefined : this.unavailable('overloaded', options);
  }

  private enqueue(job: ImageJob) {
    const { options, demandBytes } = job;
    if (!job.isUrgent && this.scheduler.isFull)
      this.scheduler.replaceableFor(options, demandBytes)?.giveUp('overloaded');
    this.scheduler.add(job);
    this.assign();
  }

  /** In a queue longer than the deadline, all images would be killed shortly after they start. */
  private isTooLateFor({ account = '', deadlineAt }: RunOptions) {
    if (this.scheduler.hasFreeWorker) return false;
    const oldest = this.scheduler.all('waiting').find((job) => job.account === account && !job.isUrgent);
    return oldest !== undefined && oldest.ageMs > WAITING_SHARE * (deadlineAt - performance.now());
  }

  private assign() {
    clearTimeout(this.nextCheck);
    if (this.isStopped) return;
    for (const job of this.scheduler.overdue) this.kill(job);
    for (let step = this.scheduler.next(); step; step = this.scheduler.next()) {
      step.suspended?.worker?.suspend();
      if (step.job.worker) step.job.worker.resume();
      else void this.work(step.job);
    }
    const ms = this.scheduler.checkAfterMs;
    if (ms !== undefined) this.nextCheck = setTimeout(() => this.assign(), ms).unref();
  }

  private async work(job: ImageJob) {
    const worker = this.idleWorker();
    if (!worker) throw new Error('No worker is idle');
    worker.isTaken = true;
    job.worker = worker;
    job.options.onStarted?.();
    try {
      const result = await this.visit(worker, job);
      this.lastFinishedAt = performance.now();
      job.worker = undefined;
      // Its deadline may have passed meanwhile.
      if (result || job.isSettled) this.scheduler.remove(job);
      if (result) job.end(result);
    } catch (error) {
      if (!worker.isReady) job.restartMs += this.startMs;
      const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
      // Retried once: the loss may have nothing to do with the image.
      if (isLost && !job.isSettled && !job.hasLostWorker && !this.isStopped) {
        job.hasLostWorker = true;
        job.worker = undefined;
        job.enter('waiting');
      } else {
        this.scheduler.remove(job);
        job.end(error as Error);
      }
    }
    worker.isTaken = false;
    this.assign();
    if (!worker.isReady) return;
    this.failedStarts = 0;
    // The memory of idle workers is in no estimate.
    const idle = this.ready > 2 * this.options.workers ? this.idleWorker() : undefined;
    if (idle) this.endSpare(idle);
  }

  /** Undefined if the image waits again: there is no room for what it needs by its size, which only code of a package reads. */
  private async visit(worker: Worker, job: ImageJob): Promise<ResultOf<ImageTask> | undefined> {
    const { task, unmeasured } = job;
    if (unmeasured) {
      const size = await worker.perform({ kind: 'measure', image: task.image }, job);
      refuseManyPixels(size, task.policy.maxPixels);
      const header = headerOfDecoded({ ...unmeasured, dimensions: size });
      refuseLarge(header, this.options.maxImageBytes);
      job.expect(header);
      job.unmeasured = undefined;
      if (!this.scheduler.goesOn(job)) return undefined;
    }
    return worker.perform(task, job, unmeasured !== undefined);
  }

  onGivenUp(job: ImageJob) {
    this.scheduler.abandon(job);
    job.forget();
    this.assign();
  }

  /** A codec cannot be interrupted, so its process is killed. Only one that ran is replaced at once, so that many kills start few. */
  private kill({ worker, state }: ImageJob) {
    if (!worker?.isReady) return;
    if (state === 'suspended') this.endSpare(worker);
    else worker.dismiss();
  }

  /** Returns false if that exceeds the maximum, or if workers fail to start. */
  grow(count: number): boolean {
    if (count > this.processes) return false;
    if (count > this.wanted) {
      this.wanted = count;
      this.fillOrRetry();
    }
    return this.failedStarts === 0;
  }

  get isIdle(): boolean {
    return this.idleWorker() !== undefined;
  }

  private idleWorker(): Worker | undefined {
    return [...this.workers].find(({ isIdle }) => isIdle);
  }

  /** Without those that have been dismissed, but have not ended yet. */
  private get ready(): number {
    return [...this.workers].filter(({ isReady }) => isReady).length;
  }

  private startFirst(sandbox: Sandbox) {
    this.sandbox = sandbox;
    const first = new Promise<WorkerExit | undefined>((resolve) => {
      this.onFirst = resolve;
      this.startOne();
    });
    return first.finally(() => (this.onFirst = undefined));
  }

  private startOne() {
    const worker = new Worker(this.options.entry, this.processes > this.options.workers, this, this.sandbox);
    if (this.options.keepsProcessAlive === false) worker.unref();
    this.workers.add(worker);
  }

  onLoaded(worker: Worker, notices: readonly string[]) {
    if (!this.notices) {
      this.notices = notices;
      for (const notice of notices) this.options.onNotice?.(notice);
    }
    if (notices.join() !== this.notices.join()) {
      const missing = notices.join() || 'none is missing';
      return worker.kill(`it has not loaded the same codecs as the first worker (${missing})`);
    }
    this.failedStarts = 0;
    this.startMs = performance.now() - worker.startedAt;
    this.onFirst?.();
    this.assign();
  }

  onLongIdle(worker: Worker, keepsMemory: boolean) {
    if (this.ready > this.options.workers) this.endSpare(worker);
    else if (keepsMemory) worker.dismiss();
  }

  private endSpare(worker: Worker) {
    this.wanted = Math.max(this.options.workers, this.workers.size - 1);
    worker.dismiss();
  }

  onExit(worker: Worker, exit: WorkerExit) {
    this.workers.delete(worker);
    if (this.isStopped) return this.onFirst?.();
    if (this.onFirst) return this.onFirst(exit);
    if (worker.wasDismissed) return this.fillOrRetry();
    this.lost++;
    this.options.onWorkerLost?.(exit.cause);
    this.startLater();
    const isHopeless = exit.isUnusable || this.failedStarts >= MAX_FAILED_STARTS;
    if (!isHopeless || this.ready > 0) return;
    for (const job of this.scheduler.all('waiting')) {
      this.scheduler.remove(job);
      job.end(new CompressionUnavailable('worker_lost'));
    }
  }

  private startLater() {
    const delay = Math.min(MAX_RESPAWN_DELAY_MS, RESPAWN_DELAY_MS * 2 ** this.failedStarts++);
    this.respawn ??= setTimeout(() => {
      this.respawn = undefined;
      this.fillOrRetry();
    }, delay);
    // An image may wait for the worker.
    if (this.options.keepsProcessAlive === false) this.respawn.unref();
  }

  private fillOrRetry() {
    try {
      while (this.workers.size < this.wanted) this.startOne();
    } catch (error) {
      // The system has no process or memory left for a worker; it may have some later.
      this.options.onWorkerLost?.(String(error));
      this.startLater();
    }
  }
}
