/** Worker processes behind a bounded queue. A worker that dies is replaced; its image is retried once. */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import { Formats, type ConversionMemory } from '../../../contract/formats';
import { readAcceptedHeader, refuseManyPixels, type DeclaredImage } from '../../formats/image-header';
import { Scheduler } from '../queue/scheduler';
import { canSuspendProcesses } from './spawn-worker';
import { Task, type TaskResult } from './task';
import { WorkerSupervisor, type WorkerSupervisorOptions } from './worker-supervisor';

/** Processes for suspended images, or as many as there are workers if that is more. Their memory counts towards the budget. */
const MIN_SPARES = 16;
/** The share of its deadline that an image may wait behind others of its account. */
const WAITING_SHARE = 0.5;
/** The PNG from which an upload of a package is compressed, and its compressed rows. */
const PNG_BYTES_PER_PIXEL = 8;

export interface WorkerPoolOptions extends WorkerSupervisorOptions {
  readonly queueLimit: number;
  /** Memory budget for all images in progress, in bytes. Unlimited if absent. */
  readonly pixelBytes?: number;
  readonly maxImageBytes?: number;
  readonly memoryFactor?: number;
  readonly knownFormats?: Formats;
  /** Whether several accounts share the workers, so that long images are suspended for others; false if absent. */
  readonly isShared?: boolean;
}

export class WorkerPool extends CompressionRunner {
  private readonly supervisor: WorkerSupervisor;
  private readonly scheduler: Scheduler<Task>;
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
    for (const task of this.scheduler.all()) task.fail(new CompressionUnavailable('stopped'));
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

  async run(image: Uint8Array, options: RunOptions): Promise<RunResult> {
    const { maxPixels } = options.policy;
    const { knownFormats = Formats.builtIn } = this.options;
    const added = options.compared ? undefined : knownFormats.addedUpload(image);
    const header = added
      ? await this.measured(image, options, added.memory)
      : (options.header ?? readAcceptedHeader(image, maxPixels));
    const read = added ? { ...options, added: added.name } : options;
    const result = await this.queued(image, header, read);
    if ('measured' in result) throw new Error('dimensions instead of an image');
    return result;
  }

  /** A sandboxed worker reads the dimensions: no code of a package runs here. */
  private async measured(
    image: Uint8Array,
    options: RunOptions,
    { bytesPerPixel, baseBytes }: ConversionMemory,
  ): Promise<DeclaredImage> {
    const { maxPixels } = options.policy;
    const unknown = {
      format: 'png',
      dimensions: { width: 1, height: 1 },
      heldBytes: baseBytes,
      mayBeTransparent: true,
    } as const;
    const result = await this.queued(image, unknown, { ...options, measures: true });
    if (!('measured' in result)) throw new Error('an image instead of dimensions');
    const { width, height } = result.measured;
    refuseManyPixels({ width, height }, maxPixels);
    const heldBytes = baseBytes + width * height * (bytesPerPixel.opaque + PNG_BYTES_PER_PIXEL);
    return { format: 'png', dimensions: { width, height }, heldBytes, mayBeTransparent: true };
  }

  private async queued(image: Uint8Array, header: DeclaredImage, options: RunOptions): Promise<TaskResult> {
    if (this.isStopped) throw new CompressionUnavailable('stopped');
    if (options.signal.aborted) throw new CompressionUnavailable('cancelled');
    if (options.deadlineAt <= performance.now() || this.isTooLateFor(options))
      throw new CompressionUnavailable('deadline_exceeded');
    if (!options.isUrgent) {
      if (!this.hasPlaceFor(options.account ?? '')) throw new CompressionUnavailable('overloaded');
      if (this.scheduler.isFull) this.scheduler.replaceable?.giveUp('overloaded');
    }
    const { memoryFactor = 1, maxImageBytes = Infinity, knownFormats } = this.options;
    const onGivenUp = (task: Task) => this.drop(task);
    const task = new Task({
      ...{ image, header, options, onGivenUp },
      ...{ memoryFactor, maxImageBytes, knownFormats },
    });
    this.scheduler.add(task);
    this.assign();
    return task.result;
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

  private async work(task: Task): Promise<void> {
    const worker = this.supervisor.idleWorker();
    if (!worker) throw new Error('An image was given to no worker');
    task.worker = worker;
    task.options.onStarted?.();
    try {
      const result = await worker.compress(task);
      this.lastFinishedAt = performance.now();
      this.scheduler.remove(task);
      task.done(result);
    } catch (error) {
      this.scheduler.remove(task);
      this.onFailure(task, error as Error);
    }
    this.assign();
    if (worker.isReady) this.supervisor.onFinished();
  }

  /** Retries once if the worker was lost, which may have nothing to do with the image. */
  private onFailure(task: Task, error: Error): void {
    const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
    if (!isLost || task.isSettled || task.hasLostWorker || this.isStopped) return task.fail(error);
    task.hasLostWorker = true;
    task.worker = undefined;
    this.scheduler.add(task);
  }

  private drop(task: Task): void {
    // A codec cannot be interrupted, so its process is killed and replaced.
    if (task.worker) return task.worker.dismiss();
    this.scheduler.remove(task);
    this.assign();
  }

  private failWaiting(reason: UnavailableReason): void {
    for (const task of this.scheduler.all('waiting')) {
      this.scheduler.remove(task);
      task.fail(new CompressionUnavailable(reason));
    }
  }

  /** In a queue longer than the deadline, all images would be killed shortly after they start. */
  private isTooLateFor({ account = '', deadlineAt }: RunOptions): boolean {
    if (this.scheduler.hasFreeWorker) return false;
    const oldest = this.scheduler.turns.listWaiting(account).at(0);
    return oldest !== undefined && oldest.ageMs > WAITING_SHARE * (deadlineAt - performance.now());
  }
}
