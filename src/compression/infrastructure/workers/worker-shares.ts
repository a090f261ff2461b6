/**
 * Which images may take the last free worker. While all other workers are busy with long images, a long one leaves it to shorter
 * ones, but is passed by no more work than its own. An account that keeps the others busy leaves it to other accounts, as long as
 * these have images.
 */
import type { FairQueue } from './fair-queue';
import type { PixelMemory } from './pixel-memory';
import type { Task } from './task';

/** Images predicted to take longer are long. A 12-megapixel photo takes about 1 s of CPU time. */
const LONG_MS = 3_000;
/** Images predicted to take less may occupy any worker. */
const SHORT_MS = 500;

export class WorkerShares {
  /** Workers that images of one kind or one account may occupy: all but one. */
  private readonly most: number;

  constructor(
    workers: number,
    private readonly queue: FairQueue,
    private readonly memory: PixelMemory,
    private readonly inProgress: ReadonlySet<Task>,
  ) {
    this.most = Math.max(1, workers - 1);
  }

  /**
   * Returns whether a free worker may begin with an image now.
   * @param waiting all tasks in the queue, this one included
   */
  allow(task: Task, waiting: readonly Task[]): boolean {
    return !this.leavesLastWorker(task, waiting) && !this.hasUsedItsShare(task);
  }

  /**
   * A long image leaves the last free worker to shorter ones, until those that passed it are predicted to take as long in total
   * as the image itself. An idle worker waits for them, except on the command line and in the library, which serve one user.
   */
  private leavesLastWorker(task: Task, waiting: readonly Task[]): boolean {
    if (!this.isLong(task) || this.longInProgress < this.most) return false;
    if (task.passedMs >= task.expectedMs) return false;
    return task.account !== '' || waiting.some((other) => !this.isLong(other));
  }

  /** Short images have no share to use up, unless one that seemed short is taking long. */
  private hasUsedItsShare({ account, expectedMs }: Task): boolean {
    const running = this.queue.runningOf(account);
    const isShort = expectedMs <= SHORT_MS && running.every(({ overrunMs }) => overrunMs <= SHORT_MS);
    return !isShort && running.length >= this.most && this.queue.isShared(account);
  }

  private isLong(task: Task): boolean {
    return task.expectedMs > LONG_MS || this.memory.isLarge(task);
  }

  private get longInProgress(): number {
    return [...this.inProgress].filter((task) => this.isLong(task) || task.workedMs > LONG_MS).length;
  }
}
