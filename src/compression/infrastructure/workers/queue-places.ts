/**
 * Who gets a place in the bounded queue. No account can fill it. If it is full, an account without an image in it takes the place
 * of the newest image of the account with the most.
 */
import type { FairQueue } from './fair-queue';
import type { Task } from './task';

/** The share of the queue that one account may fill. */
const ACCOUNT_SHARE = 0.75;

export class QueuePlaces {
  /** @param limit most images in the queue */
  constructor(
    private readonly limit: number,
    private readonly queue: FairQueue,
    private readonly hasIdleWorker: () => boolean,
  ) {}

  /** Whether no account gets a place. */
  get areTaken(): boolean {
    return this.isFull && this.queue.newestOfLargestAccount() === undefined;
  }

  hasOneFor(account: string): boolean {
    const waiting = this.queue.waitingOf(account);
    if (this.isFull) return waiting === 0 && !this.areTaken;
    // The command line has no accounts.
    return account === '' || waiting < Math.max(1, this.limit * ACCOUNT_SHARE);
  }

  /** Returns the task that has to leave the queue before another is added. */
  get taskToDrop(): Task | undefined {
    return this.isFull ? this.queue.newestOfLargestAccount() : undefined;
  }

  private get isFull(): boolean {
    return this.queue.length >= this.limit && (this.queue.length > 0 || !this.hasIdleWorker());
  }
}
