/**
 * Start-time fair queuing (P. Goyal, H. M. Vin and H. Cheng, 1996) on measured worker time.
 *
 * Idle time earns no credit: an account starts level with the one that has taken the least. Urgent images come first.
 */

export type JobState = 'waiting' | 'running' | 'suspended';

export class Job {
  /** Goes first and is never suspended: a probe, which belongs to no account. */
  isUrgent = false;
  private readonly spentMs = { waiting: 0, running: 0, suspended: 0 };
  private current: JobState = 'waiting';
  private since = performance.now();

  /** @param account empty for the service itself and for the command line */
  constructor(
    readonly account: string,
    public demandBytes = 0,
  ) {}

  get state(): JobState {
    return this.current;
  }

  get ranMs(): number {
    return this.spentIn('running');
  }

  get suspendedMs(): number {
    return this.spentIn('suspended');
  }

  get sliceMs(): number {
    return performance.now() - this.since;
  }

  enter(state: JobState): void {
    this.spentMs[this.current] += this.sliceMs;
    this.current = state;
    this.since = performance.now();
  }

  private spentIn(state: JobState): number {
    return this.spentMs[state] + (this.current === state ? this.sliceMs : 0);
  }
}

interface Account<J> {
  /** Worker time of its departed images, in milliseconds. */
  pastMs: number;
  readonly jobs: Set<J>;
}

/** Accounts without an image are swept once there are this many more than after the last sweep. */
const SWEEP_AFTER = 64;

export class Turns<J extends Job> {
  private readonly accounts = new Map<string | undefined, Account<J>>();
  /** Never falls while an account has an image. */
  private floorMs = 0;
  private sweepAt = SWEEP_AFTER;

  add(job: J): void {
    const account = this.accounts.get(job.account) ?? { pastMs: 0, jobs: new Set<J>() };
    if (account.jobs.size === 0) account.pastMs = Math.max(account.pastMs, this.raisedFloor());
    account.jobs.add(job);
    this.accounts.set(job.account, account);
  }

  remove(job: J): void {
    const account = this.accounts.get(job.account);
    if (!account?.jobs.delete(job)) return;
    account.pastMs += job.ranMs;
    if (this.active.length === 0) this.accounts.clear();
    else if (this.accounts.size > this.sweepAt) this.sweep();
  }

  get size(): number {
    return this.accounts.size;
  }

  takenMs(name: string): number {
    const account = this.accounts.get(name);
    return account ? takenBy(account) : this.floorMs;
  }

  /**
   * The first to run at the front. An account continues suspended images first, and starts others after all had a turn.
   * @param quantumMs extra time charged to a running image, so that equal accounts take turns
   */
  inOrder(quantumMs: number): J[] {
    const places = this.active.map((account) => findPlace(account, quantumMs)).sort((a, b) => a.ms - b.ms);
    const [first, last]: [J[], J[]] = [[], []];
    for (const { suspended, waiting } of places) {
      first.push(...(suspended.length > 0 ? suspended : waiting));
      if (suspended.length > 0) last.push(...waiting);
    }
    const all = [...first, ...last];
    return [...all.filter(({ isUrgent }) => isUrgent), ...all.filter(({ isUrgent }) => !isUrgent)];
  }

  listWaiting(name: string | undefined): J[] {
    const jobs = [...(this.accounts.get(name)?.jobs ?? [])];
    return jobs.filter(({ state, isUrgent }) => state === 'waiting' && !isUrgent);
  }

  longestLine(): J[] {
    return [...this.accounts.keys()]
      .map((name) => this.listWaiting(name))
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

function findPlace<J extends Job>(account: Account<J>, quantumMs: number) {
  const jobs = [...account.jobs];
  const inState = (wanted: JobState) => jobs.filter(({ state }) => state === wanted);
  const ms = takenBy(account) + quantumMs * inState('running').length;
  return { ms, suspended: inState('suspended'), waiting: inState('waiting') };
}
