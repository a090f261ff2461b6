/**
 * The queue of images that wait for a worker. Accounts share CPU time by start-time fair queuing (Goyal et al. 1996), so an
 * account with many or expensive images waits behind the others. Images of one account keep their order. Urgent images come
 * first: the readiness probe's, and those whose worker was lost.
 */
import type { Task } from './task';

/** The state of an account is deleted after this time without an image. */
const FORGET_MS = 60_000;
/** Weight of the newest image in the moving average of an account's slowness. */
const NEWEST = 0.5;
/** Upper bound of an account's slowness. */
const MAX_SLOWNESS = 20;

interface Account {
  /** Virtual time at which the account's next image may start, in milliseconds of CPU time. */
  nextStart: number;
  /** Actual time of the account's recent images divided by the predicted time; 1 = as predicted. */
  slowness: number;
  lastServedAt: number;
}

export class FairQueue {
  private readonly urgent: Task[] = [];
  private readonly waiting = new Map<string, Task[]>();
  private readonly accounts = new Map<string, Account>();
  /** Virtual time: the start time of the last image that started. */
  private now = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  waitingOf(account: string): number {
    return this.waiting.get(account)?.length ?? 0;
  }

  add(task: Task): void {
    this.count++;
    task.expectedMs *= this.accounts.get(task.account)?.slowness ?? 1;
    const queue = this.queueOf(task);
    queue.push(task);
    if (queue !== this.urgent) this.waiting.set(task.account, queue);
  }

  /** Removes a task. Returns false if it is not in the queue. */
  remove(task: Task): boolean {
    const queue = this.queueOf(task);
    const at = queue.indexOf(task);
    if (at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0 && queue !== this.urgent) this.waiting.delete(task.account);
    this.count--;
    return true;
  }

  inOrder(): Task[] {
    const queues = [...this.waiting].sort(([a], [b]) => this.startOf(a) - this.startOf(b));
    return [...this.urgent, ...queues.flatMap(([, queue]) => queue)];
  }

  /** Returns the newest image of the account with the most images, if it has several: the one to drop from a full queue. */
  newestOfLargestAccount(): Task | undefined {
    const longest = [...this.waiting.values()].sort((a, b) => b.length - a.length).at(0);
    return longest && longest.length > 1 ? longest.at(-1) : undefined;
  }

  /** Returns whether another account has images in the queue or had one recently. */
  isShared(account: string): boolean {
    const since = performance.now() - FORGET_MS;
    const isOther = (name: string) => name !== account && name !== '';
    return (
      [...this.waiting.keys()].some(isOther) ||
      [...this.accounts].some(([name, { lastServedAt }]) => isOther(name) && lastServedAt > since)
    );
  }

  /** Call this when a task starts. */
  started({ account, expectedMs }: Task): void {
    const start = this.startOf(account);
    this.now = Math.max(this.now, start);
    const { slowness } = this.accounts.get(account) ?? { slowness: 1 };
    this.accounts.set(account, {
      nextStart: start + expectedMs,
      slowness,
      lastServedAt: performance.now(),
    });
    this.forgetOld();
  }

  /** Call this when a task has finished, to replace its predicted time by the actual time. */
  finished({ account, expectedMs }: Task, tookMs: number): void {
    const known = this.accounts.get(account);
    if (!known || expectedMs <= 0) return;
    known.nextStart += tookMs - expectedMs;
    const seen = (known.slowness * tookMs) / expectedMs;
    const slowness = known.slowness + NEWEST * (seen - known.slowness);
    known.slowness = Math.min(MAX_SLOWNESS, Math.max(1, slowness));
    known.lastServedAt = performance.now();
  }

  /** An image whose worker was lost has had its turn already, so its second attempt is urgent. */
  private queueOf({ account, options, hasLostWorker }: Task): Task[] {
    return options.isUrgent || hasLostWorker ? this.urgent : (this.waiting.get(account) ?? []);
  }

  private startOf(account: string): number {
    return Math.max(this.now, this.accounts.get(account)?.nextStart ?? 0);
  }

  private forgetOld(): void {
    const before = performance.now() - FORGET_MS;
    for (const [name, { lastServedAt }] of this.accounts) {
      if (lastServedAt < before && !this.waiting.has(name)) this.accounts.delete(name);
    }
  }
}
