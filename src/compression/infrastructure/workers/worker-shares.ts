/**
 * Which images may take the last free worker: none that is long while all others are busy with long ones, and none of an account
 * that keeps the others busy, as long as other accounts have images.
 */
import type { FairQueue } from './fair-queue';
import type { PixelMemory } from './pixel-memory';
import type { Task } from './task';

/** Images predicted to take longer never occupy the last free worker. A 12-megapixel photo takes about 1 s of CPU time. */
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

  /** Returns whether a free worker may begin with an image now. */
  allow(task: Task): boolean {
    return (!this.isLong(task) || this.longInProgress < this.most) && !this.hasUsedItsShare(task);
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
