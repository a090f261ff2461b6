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
  private smallBytes = 0;

  constructor(private readonly capacityBytes: number) {
    this.budget = new MemoryBudget(capacityBytes);
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
    const isSmall = bytes <= this.smallCapacity;
    const others = waiting.filter((other) => other !== task && other.waitedMs > MAX_WAIT_MS);
    const kept = Math.max(0, ...others.map((other) => this.countedBytes(other)));
    const leavesRoom =
      kept <= this.smallCapacity ||
      this.usedBytes + bytes + kept <= this.capacityBytes ||
      (isSmall && this.smallBytes + bytes <= this.smallCapacity);
    // The image that waits for the most memory does not wait for the others.
    if (!leavesRoom && (bytes < kept || task.waitedMs <= MAX_WAIT_MS)) return undefined;
    const claim = this.budget.claim(bytes);
    if (!claim || !isSmall) return claim;
    this.smallBytes += bytes;
    let isReleased = false;
    return {
      ...claim,
      release: () => {
        if (!isReleased) this.smallBytes -= bytes;
        isReleased = true;
        claim.release();
      },
    };
  }

  isLarge(task: Task): boolean {
    return task.demandBytes >= this.capacityBytes * LARGE_SHARE;
  }

  private countedBytes({ demandBytes }: Task): number {
    return Math.floor(Math.min(demandBytes, this.capacityBytes * LARGE_SHARE));
  }

  private get smallCapacity(): number {
    return this.capacityBytes * (1 - LARGE_SHARE);
  }
}
