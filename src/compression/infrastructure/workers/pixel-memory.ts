/**
 * The memory budget for images in progress. A large image counts for at most three quarters of the budget, so that small
 * images can run beside it; and only one large image runs at a time.
 */
import { MemoryBudget, type MemoryClaim } from '../../domain/memory-budget';
import type { Task } from './task';

const LARGE_SHARE = 0.75;
/** After this time in the queue, an image reserves the memory that it waits for. */
const MAX_WAIT_MS = 2_000;

export class PixelMemory {
  private readonly budget: MemoryBudget;
  /** What small images have claimed. */
  private readonly small: MemoryBudget;

  constructor(private readonly capacityBytes: number) {
    this.budget = new MemoryBudget(capacityBytes);
    this.small = new MemoryBudget(Infinity);
  }

  get usedBytes(): number {
    return this.budget.usedBytes;
  }

  /**
   * Reserves the memory for a task. Returns undefined if the task has to wait.
   * @param waiting all tasks in the queue, this one included
   */
  claim(task: Task, waiting: readonly Task[]): MemoryClaim | undefined {
    const bytes = this.countedBytes(task);
    if (this.mustLeaveRoom(task, bytes, waiting)) return undefined;
    const claim = this.budget.claim(bytes);
    if (!claim || !this.isSmall(bytes)) return claim;
    const small = this.small.open();
    small.resize(bytes);
    return {
      resize: (wanted) => claim.resize(wanted),
      release: () => {
        small.release();
        claim.release();
      },
    };
  }

  /** Returns whether the memory is kept for an image that has waited too long for it. */
  private mustLeaveRoom(task: Task, bytes: number, waiting: readonly Task[]): boolean {
    const others = waiting.filter((other) => other !== task && other.waitedMs > MAX_WAIT_MS);
    const kept = Math.max(0, ...others.map((other) => this.countedBytes(other)));
    // The image that waits for the most memory does not wait for the others.
    if (bytes >= kept && task.waitedMs > MAX_WAIT_MS) return false;
    if (this.isSmall(kept) || this.usedBytes + bytes + kept <= this.capacityBytes) return false;
    return !this.isSmall(bytes) || this.small.usedBytes + bytes > this.smallCapacity;
  }

  isLarge(task: Task): boolean {
    return task.demandBytes >= this.capacityBytes * LARGE_SHARE;
  }

  private countedBytes({ demandBytes }: Task): number {
    return Math.floor(Math.min(demandBytes, this.capacityBytes * LARGE_SHARE));
  }

  private isSmall(bytes: number): boolean {
    return bytes <= this.smallCapacity;
  }

  private get smallCapacity(): number {
    return this.capacityBytes * (1 - LARGE_SHARE);
  }
}
