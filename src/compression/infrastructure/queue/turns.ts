/**
 * Whose turn it is. Accounts share worker time by start-time fair queuing (P. Goyal, H. M. Vin and H. Cheng, 1996) on
 * milliseconds that were measured: the next image is one of the account whose images have taken the least. Images of an account
 * keep their order. Urgent images come first.
 *
 * An account that had no image for a while gets no credit for that: it begins level with the account that has taken the least.
 */
import type { Job, JobState } from './job';

interface Account<J> {
  /** Worker time of its images that have left, in milliseconds. */
  pastMs: number;
  /** In the order of their arrival. */
  readonly jobs: Set<J>;
}

/** Accounts without an image are looked through when there are this many more than after the last time. */
const SWEEP_AFTER = 64;

export class Turns<J extends Job> {
  private readonly accounts = new Map<string, Account<J>>();
  /** The least that an account with an image has taken; never falls while there is one. */
  private floorMs = 0;
  private sweepAt = SWEEP_AFTER;

  add(job: J): void {
    const account = this.accounts.get(job.account) ?? { pastMs: 0, jobs: new Set<J>() };
    if (account.jobs.size === 0) account.pastMs = Math.max(account.pastMs, this.raisedFloor());
    account.jobs.add(job);
    this.accounts.set(job.account, account);
  }

  /** Removes an image; the time that it has taken stays with its account. */
  remove(job: J): void {
    const account = this.accounts.get(job.account);
    if (!account?.jobs.delete(job)) return;
    account.pastMs += job.ranMs;
    if (this.active.length === 0) this.accounts.clear();
    else if (this.accounts.size > this.sweepAt) this.sweep();
  }

  /** Accounts that are known. */
  get size(): number {
    return this.accounts.size;
  }

  /** Worker time that an account counts as having taken, in milliseconds. */
  takenMs(name: string): number {
    const account = this.accounts.get(name);
    return account ? takenBy(account) : this.floorMs;
  }

  /**
   * Returns the images that wait or are suspended, those that shall run first at the front. An account continues what is
   * suspended before it begins anything, and begins nothing before all others had their turn while it has something suspended.
   * @param quantumMs what an image that runs counts as having taken in addition, so that equal accounts take turns
   */
  inOrder(quantumMs: number): J[] {
    const places = this.active.map((account) => placeOf(account, quantumMs)).sort((a, b) => a.ms - b.ms);
    const [first, last]: [J[], J[]] = [[], []];
    for (const { suspended, waiting } of places) {
      first.push(...(suspended.length > 0 ? suspended : waiting));
      if (suspended.length > 0) last.push(...waiting);
    }
    const all = [...first, ...last];
    return [...all.filter(({ isUrgent }) => isUrgent), ...all.filter(({ isUrgent }) => !isUrgent)];
  }

  /** Returns the images of an account that have not begun, without urgent ones. */
  waitingOf(name: string): J[] {
    const jobs = [...(this.accounts.get(name)?.jobs ?? [])];
    return jobs.filter(({ state, isUrgent }) => state === 'waiting' && !isUrgent);
  }

  /** The same of the account that has the most of them. */
  longestLine(): J[] {
    return [...this.accounts.keys()]
      .map((name) => this.waitingOf(name))
      .reduce((longest, line) => (line.length > longest.length ? line : longest), []);
  }

  private get active(): Account<J>[] {
    return [...this.accounts.values()].filter(({ jobs }) => jobs.size > 0);
  }

  private raisedFloor(): number {
    const { active } = this;
    if (active.length === 0) this.floorMs = 0;
    else this.floorMs = Math.max(this.floorMs, Math.min(...active.map(takenBy)));
    return this.floorMs;
  }

  /** Forgets accounts that would begin at the floor anyway. */
  private sweep(): void {
    const floor = this.raisedFloor();
    for (const [name, { jobs, pastMs }] of this.accounts)
      if (jobs.size === 0 && pastMs <= floor) this.accounts.delete(name);
    this.sweepAt = this.accounts.size + SWEEP_AFTER;
  }
}

function takenBy<J extends Job>({ pastMs, jobs }: Account<J>): number {
  let ms = pastMs;
  for (const job of jobs) ms += job.ranMs;
  return ms;
}

function placeOf<J extends Job>(account: Account<J>, quantumMs: number) {
  const jobs = [...account.jobs];
  const inState = (wanted: JobState) => jobs.filter(({ state }) => state === wanted);
  const ms = takenBy(account) + quantumMs * inState('running').length;
  return { ms, suspended: inState('suspended'), waiting: inState('waiting') };
}
