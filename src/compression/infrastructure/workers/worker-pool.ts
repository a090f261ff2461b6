/**
 * Runs compressions on a fixed number of worker processes with a bounded queue in front of them.
 *
 * - An image waits until its deadline at most. While all workers are busy, one that cannot finish by then is refused.
 * - A full queue refuses new images at once. Accounts take turns by what their images cost, and none can fill the queue.
 * - Small images may overtake a large one that waits for memory, for a few seconds.
 * - An image that is predicted to take long leaves one worker to shorter ones, which pass it by no more work than its own.
 * - When a client disconnects, its image leaves the queue or its worker.
 * - A worker that dies is replaced; its image is tried once more.
 */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunnerState,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { CompressedImage } from '../../domain/compression-report';
import { readAcceptedHeader } from '../../formats/image-header';
import { Task } from './task';
import { PixelMemory } from './pixel-memory';
import { ServiceTimes } from './service-times';
import { FairQueue } from './fair-queue';
import { QueuePlaces } from './queue-places';
import { ResultTooLong, type Worker } from './worker';
import { WorkerShares } from './worker-shares';
import { WorkerSupervisor, type WorkerSupervisorOptions } from './worker-supervisor';

export interface WorkerPoolOptions extends WorkerSupervisorOptions {
  /** Most images in the queue. */
  readonly queueLimit: number;
  /** Memory budget for all images in progress, in bytes; see PixelMemory. Unlimited if absent. */
  readonly pixelBytes?: number;
  /** Memory of an image as a multiple of memoryDemand(); 1 if absent. */
  readonly memoryFactor?: number;
}

export class WorkerPool extends CompressionRunner {
  private readonly supervisor: WorkerSupervisor;
  private readonly queue = new FairQueue();
  private readonly places: QueuePlaces;
  private readonly inProgress = new Set<Task>();
  private readonly memory: PixelMemory;
  private readonly shares: WorkerShares;
  private readonly serviceTimes = new ServiceTimes();
  private lastFinishedAt: number | undefined;
  private isStopped = false;

  constructor(private readonly options: WorkerPoolOptions) {
    super();
    this.memory = new PixelMemory(options.pixelBytes ?? Infinity);
    const hasIdleWorker = () => this.supervisor.count().idle > 0;
    this.places = new QueuePlaces(options.queueLimit, this.queue, hasIdleWorker);
    this.shares = new WorkerShares(options.workers, this.queue, this.memory, this.inProgress);
    this.supervisor = new WorkerSupervisor(
      options,
      () => this.assign(),
      () => this.failAll('worker_lost'),
    );
  }

  /**
   * Starts the workers. Resolves when the first one has loaded its codecs, or after a timeout.
   * @throws WorkersUnusable when the codecs cannot be loaded
   */
  start(): Promise<void> {
    return this.supervisor.start();
  }

  /** Kills all workers. Images in the queue and in progress fail with `stopped`. */
  stop(): void {
    this.isStopped = true;
    this.failAll('stopped');
    for (const task of this.inProgress) task.fail(new CompressionUnavailable('stopped'));
    this.supervisor.stop();
  }

  /** What the workers have said so far about how their codecs were loaded. */
  get notices(): readonly string[] {
    return this.supervisor.notices;
  }

  state(): RunnerState {
    const { ready, idle, lost } = this.supervisor.count();
    return {
      ready,
      busy: ready - idle,
      queued: this.queue.length,
      isFull: this.places.areTaken,
      lastFinishedAt: this.lastFinishedAt,
      pixelBytes: this.memory.usedBytes,
      workersLost: lost,
    };
  }

  hasPlaceFor(account: string): boolean {
    return this.places.hasOneFor(account);
  }

  async run(image: Uint8Array, options: RunOptions): Promise<RunResult> {
    const header = options.header ?? readAcceptedHeader(image, options.policy.maxPixels);
    if (this.isStopped) throw new CompressionUnavailable('stopped');
    if (options.signal.aborted) throw new CompressionUnavailable('cancelled');
    if (options.deadlineAt <= performance.now()) throw new CompressionUnavailable('deadline_exceeded');
    if (!options.isUrgent) {
      if (!this.hasPlaceFor(options.account ?? '')) throw new CompressionUnavailable('overloaded');
      this.places.taskToDrop?.giveUp('overloaded');
    }
    const { memoryFactor = 1 } = this.options;
    const onGivenUp = (givenUp: Task) => this.drop(givenUp);
    const task = new Task({ image, header, options, memoryFactor, onGivenUp });
    task.expectedMs = this.serviceTimes.expected(task.target, task.cost);
    this.queue.add(task);
    this.supervisor.growTo(this.queue.length + this.inProgress.size);
    this.assign();
    return task.result;
  }

  /** Starts queued tasks on idle workers as far as the memory allows. */
  private assign(): void {
    // Starting a task changes the order of the queue.
    while (this.beginNext());
    if (this.supervisor.idleWorker()) return;
    for (const task of this.queue.inOrder()) {
      if (!this.canFinish(task)) task.giveUp('deadline_exceeded');
    }
  }

  /** Starts one task. Those that seem to miss their deadline come last, but no worker is idle because of a prediction. */
  private beginNext(): boolean {
    const waiting = this.queue.inOrder();
    const hopeless = waiting.filter((task) => !this.canFinish(task));
    const hopeful = waiting.filter((task) => !hopeless.includes(task));
    return [...hopeful, ...hopeless].some((task) => {
      const worker = this.supervisor.idleWorker();
      return worker !== undefined && this.begin(task, worker, waiting);
    });
  }

  private canFinish({ msLeft, target, cost }: Task): boolean {
    return msLeft >= this.serviceTimes.minimum(target, cost);
  }

  private begin(task: Task, worker: Worker, waiting: readonly Task[]): boolean {
    if (!this.shares.allow(task, waiting)) return false;
    const claim = this.memory.claim(task, waiting);
    if (!claim) return false;
    this.queue.start(task, waiting);
    this.inProgress.add(task);
    void this.work(task, worker).finally(() => {
      this.inProgress.delete(task);
      claim.release();
      this.assign();
    });
    return true;
  }

  private async work(task: Task, worker: Worker): Promise<void> {
    const { target, cost } = task;
    task.startOn(worker);
    try {
      const compressed = await this.compressOn(worker, task).finally(() =>
        this.queue.finished(task, task.workedMs),
      );
      this.lastFinishedAt = performance.now();
      this.serviceTimes.record(target, cost, task.workedMs);
      task.done(compressed);
    } catch (error) {
      this.serviceTimes.recordUnfinished(target, cost, task.workedMs);
      this.onFailure(task, error as Error);
    }
  }

  private compressOn(worker: Worker, task: Task): Promise<CompressedImage> {
    const { policy, onResultSize } = task.options;
    return worker.compress(task.image, policy, (bytes) => {
      if (bytes > task.maxResultBytes) throw new ResultTooLong(`a result of ${bytes} bytes`);
      onResultSize?.(bytes);
    });
  }

  /** Retries once if the worker was lost, because it may have been killed for reasons unrelated to the image. */
  private onFailure(task: Task, error: Error): void {
    const isLost = error instanceof CompressionUnavailable && error.reason === 'worker_lost';
    if (!isLost || task.isSettled || task.hasLostWorker || this.isStopped) return task.fail(error);
    task.hasLostWorker = true;
    task.worker = undefined;
    this.queue.add(task);
  }

  private drop(task: Task): void {
    // A codec cannot be interrupted, so its process is killed and replaced.
    if (!this.queue.remove(task) && task.worker) this.supervisor.replace(task.worker);
  }

  private failAll(reason: UnavailableReason): void {
    for (const task of this.queue.inOrder()) {
      this.queue.remove(task);
      task.fail(new CompressionUnavailable(reason));
    }
  }
}
