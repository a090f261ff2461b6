/**
 * The memory reserved for images in progress, as estimated from their headers. A large image counts as at most three quarters, so
 * only one runs at a time; the last quarter is always open to small images.
 */
import { MemoryBudget, type MemoryClaim } from '../../domain/memory-budget';
import type { Job } from './turns';

const LARGE_SHARE = 0.75;

export class ReservedMemory {
  private readonly budget: MemoryBudget;
  /** The reservations of small images. */
  private readonly small: MemoryBudget;
  private readonly claims = new Map<Job, readonly MemoryClaim[]>();

  constructor(private readonly capacityBytes: number) {
    this.budget = new MemoryBudget(capacityBytes);
    this.small = new MemoryBudget(Infinity);
  }

  get usedBytes(): number {
    return this.budget.usedBytes;
  }

  /**
   * Whether there is memory for an image.
   * @param isKept whether the memory is kept for a waiting image, so that only the last quarter is open
   */
  hasRoomFor(job: Job, isKept: boolean): boolean {
    const bytes = this.countedBytes(job);
    if (isKept && this.small.usedBytes + bytes > this.smallCapacity) return false;
    return this.budget.hasRoomFor(bytes);
  }

  reserve(job: Job): void {
    const bytes = this.countedBytes(job);
    const budgets = bytes <= this.smallCapacity ? [this.budget, this.small] : [this.budget];
    this.claims.set(
      job,
      budgets.flatMap((budget) => budget.claim(bytes) ?? []),
    );
  }

  release(job: Job): void {
    for (const claim of this.claims.get(job) ?? []) claim.release();
    this.claims.delete(job);
  }

  private countedBytes({ demandBytes }: Job): number {
    return Math.floor(Math.min(demandBytes, this.capacityBytes * LARGE_SHARE));
  }

  private get smallCapacity(): number {
    return this.capacityBytes * (1 - LARGE_SHARE);
  }
}
