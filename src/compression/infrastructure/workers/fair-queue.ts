/**
 * The queue of images that wait for a worker. Accounts share CPU time by start-time fair queuing (Goyal et al. 1996), so an
 * account with many or expensive images waits behind the others. What an image costs is predicted when it starts, grows
 * while it runs longer than that, and is corrected when it ends. Images of one account keep their order. Urgent images come
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
  /** Virtual time at which the account's next image may start, in milliseconds of CPU time, as predicted. */
  readonly nextStart: number;
  /** Actual time of the account's recent images divided by the predicted time; 1 = as predicted. */
  readonly slowness: number;
  readonly lastServedAt: number;
  readonly running: Set<Task>;
}

export class FairQueue {
  private readonly urgent: Task[] = [];
  private readonly waiting = new Map<string, Task[]>();
  /** In the order in which they were served last. */
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
    task.expectedMs *= this.slownessOf(task.account);
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
    const starts = new Map([...this.waiting.keys()].map((account) => [account, this.startOf(account)]));
    const queues = [...this.waiting].sort(([a], [b]) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0));
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

  /** Returns the tasks of an account that are in progress. */
  runningOf(account: string): readonly Task[] {
    return [...(this.accounts.get(account)?.running ?? [])];
  }

  /**
   * Takes a task out of the queue, because a worker begins with it.
   * @param order all tasks in the queue, in order: those before this one are passed by it
   */
  start(task: Task, order: readonly Task[]): void {
    const { account, expectedMs } = task;
    for (const passed of order.slice(0, order.indexOf(task))) passed.passedMs += expectedMs;
    this.remove(task);
    const known = this.accounts.get(account);
    const nextStart = Math.max(this.now, known?.nextStart ?? 0) + expectedMs;
    this.now = this.startOf(account);
    const { slowness, running } = known ?? { slowness: 1, running: new Set<Task>() };
    running.add(task);
    this.serve(account, { nextStart, slowness, running });
    this.forgetOld();
  }

  /** Call this when a task has finished or was killed, to replace its predicted time by the actual time. */
  finished(task: Task, tookMs: number): void {
    const { account, expectedMs } = task;
    const known = this.accounts.get(account);
    if (!known?.running.delete(task) || expectedMs <= 0) return;
    this.serve(account, {
      nextStart: known.nextStart + tookMs - expectedMs,
      slowness: slower(known.slowness, tookMs / expectedMs),
      running: known.running,
    });
  }

  /** An image whose worker was lost has had its turn already, so its second attempt is urgent. */
  private queueOf({ account, options, hasLostWorker }: Task): Task[] {
    return options.isUrgent || hasLostWorker ? this.urgent : (this.waiting.get(account) ?? []);
  }

  private startOf(account: string): number {
    const known = this.accounts.get(account);
    if (!known) return this.now;
    const overrun = [...known.running].reduce((sum, task) => sum + task.overrunMs, 0);
    return Math.max(this.now, known.nextStart + overrun);
  }

  private slownessOf(account: string): number {
    const known = this.accounts.get(account);
    if (!known) return 1;
    const soFar = [...known.running].map((task) =>
      slower(known.slowness, 1 + task.overrunMs / task.expectedMs),
    );
    return Math.max(known.slowness, ...soFar);
  }

  private serve(name: string, account: Omit<Account, 'lastServedAt'>): void {
    this.accounts.delete(name);
    this.accounts.set(name, { ...account, lastServedAt: performance.now() });
  }

  private forgetOld(): void {
    const before = performance.now() - FORGET_MS;
    for (const [name, { lastServedAt, running }] of this.accounts) {
      if (lastServedAt >= before) return;
      if (running.size === 0 && !this.waiting.has(name)) this.accounts.delete(name);
    }
  }
}

/** @param ratio actual time of an image divided by the time that was predicted with this slowness */
function slower(slowness: number, ratio: number): number {
  const next = slowness + NEWEST * (slowness * ratio - slowness);
  return Math.min(MAX_SLOWNESS, Math.max(1, next));
}
