/**
 * Decides which images run, by the worker time that they have taken so far; no cost is predicted.
 *
 * - An image that has run for a quantum is suspended for a network that has taken less, or an account of its own. It keeps its memory.
 * - A newcomer is an image of a network that has none in progress. A quarter of the memory and the last process are
 *   for them. While others wait, further images of a network or account begin within half of the memory only.
 * - Memory is kept for the first newcomer that has to wait for it. Later newcomers may use the last quarter.
 * - An image in progress whose client has left is killed after a quantum. Until then it gives way at once, and may finish: each kill
 *   follows a quantum that its account has paid for.
 */
import type { Sharer } from '../../../contract/caller';
import { ExpectedPlaces } from './expected-places';
import { Turns, type Job, type JobState } from './turns';

/** Before an image is first suspended. A photo of 12 megapixels takes about 1 s, so most need no spare process. */
export const QUANTUM_MS = 1_500;
/** Running time of an image per turn after its quantum. */
const SLICE_MS = 250;
const CHECK_MS = 100;
const NEWCOMER_SHARE = 0.25;
/** Of one network or account while others wait. */
const SHARE_WHILE_OTHERS_WAIT = 0.5;

export interface Processes {
  /** Whether one of them can begin an image. */
  readonly isIdle: boolean;
  /** Counts busy and suspended ones. Returns false if that exceeds the maximum. */
  grow(count: number): boolean;
}

export interface SchedulerOptions {
  readonly workers: number;
  readonly canSuspend: boolean;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly queueLimit: number;
}

export class Scheduler<J extends Job> {
  readonly turns = new Turns<J>();
  private readonly jobs = new Set<J>();
  private readonly places = new ExpectedPlaces();

  constructor(
    private readonly options: SchedulerOptions,
    private readonly processes: Processes,
  ) {}

  all(state?: JobState): J[] {
    return [...this.jobs].filter((job) => state === undefined || job.state === state);
  }

  get usedBytes(): number {
    return sum(this.inProgress().map((job) => this.countedBytes(job)));
  }

  get hasFreeWorker(): boolean {
    return this.all('running').length < this.options.workers;
  }

  /** Whether neither a worker nor a place in the queue is free. */
  get isFull(): boolean {
    const { length } = this.all('waiting');
    return length >= this.options.queueLimit && (length > 0 || !this.hasFreeWorker);
  }

  /** In a full queue, each network gets a place before any gets its second, likewise its accounts; a small image comes before a large one. */
  hasPlaceFor(sharer: Sharer, demandBytes = 0): boolean {
    return !this.isFull || this.replaceableFor(sharer, demandBytes) !== undefined;
  }

  /** The waiting image that gives its place to one of the sharer in a full queue. @param demandBytes 0 before the image is known */
  replaceableFor(sharer: Sharer, demandBytes: number): J | undefined {
    return this.turns.replaceableFor(this.placed(sharer), demandBytes);
  }

  add(job: J) {
    job.network = this.placed(job).network;
    job.enter('waiting');
    this.jobs.add(job);
    this.turns.add(job);
  }

  remove(job: J) {
    this.turns.remove(job);
    this.jobs.delete(job);
    if (job.ranMs > 0 && !job.isUrgent) this.places.finished(job.ranMs);
  }

  /** Call it when nobody waits for the result any more. */
  abandon(job: J) {
    job.isAbandoned = true;
    if (job.state === 'waiting') this.remove(job);
  }

  /** Images to kill. */
  get overdue(): J[] {
    return this.inProgress().filter((job) => job.isAbandoned && job.ranMs >= QUANTUM_MS);
  }

  /** Milliseconds until an image of the sharer should find a place, once it was refused. Each call promises another place. */
  promisePlace(sharer: Sharer): number {
    const { network, account } = this.placed(sharer);
    const running = this.all('running').map(({ ranMs }) => ranMs);
    const jobs = this.all();
    const networks = new Set([network, ...jobs.map((job) => job.network)]);
    const accounts = new Set([
      account,
      ...jobs.filter((job) => job.network === network).map((job) => job.account),
    ]);
    const share = this.options.workers / networks.size / accounts.size;
    return this.places.promise(account, share, sum(running) / running.length || 0);
  }

  /** Whether a running image whose demand has grown can go on, by the rules for one that begins. Otherwise it waits again. */
  goesOn(job: J): boolean {
    job.enter('waiting');
    const isKept = this.all('waiting').some(
      (other) => other.account !== job.account && this.isNewcomer(other) && !this.mayBegin(other, false),
    );
    if (this.mayBegin(job, isKept)) job.enter('running');
    return job.state === 'running';
  }

  /** Milliseconds after which next() may have a step although nothing has changed. */
  get checkAfterMs(): number | undefined {
    const running = this.all('running');
    const isContended = this.options.canSuspend && this.jobs.size > running.length;
    const waits = [
      ...(isContended ? running.map((job) => msUntilSuspendable(job)) : []),
      ...running.filter(({ isAbandoned }) => isAbandoned).map(({ ranMs }) => QUANTUM_MS - ranMs),
    ];
    return waits.length > 0 ? Math.max(CHECK_MS, Math.min(...waits)) : undefined;
  }

  /**
   * Returns the image to begin or continue next, and the one that is suspended for it, if any; undefined if there is none. Call it
   * after every change until then. The states of both have changed already.
   */
  next() {
    const inProgress = this.inProgress();
    const free = this.options.workers - this.all('running').length;
    /** Accounts whose next image does not fit, and networks whose next account does not fit: their images keep their order. */
    const blocked = new Set<string>();
    let isKept = false;
    let starting = 0;
    for (const job of this.turns.inTurn(QUANTUM_MS)) {
      const isNew = job.state === 'waiting';
      // The starting processes are for images before this one.
      if (starting >= Math.max(1, free)) return undefined;
      if (isNew ? blocked.has(job.account) || blocked.has(job.network) : starting > 0) continue;
      if (isNew && !this.mayBegin(job, isKept)) {
        isKept ||= this.isNewcomer(job);
        if (!job.isUrgent) blocked.add(this.isNewcomer(job, 'account') ? job.network : job.account);
        continue;
      }
      const victim = free > 0 ? undefined : this.victimFor(job);
      if (free <= 0 && !victim) return undefined;
      if (isNew && !this.processes.isIdle) {
        if (this.processes.grow(inProgress.length + starting + 1)) starting++;
        continue;
      }
      victim?.enter('suspended');
      job.enter('running');
      return { job, suspended: victim };
    }
    return undefined;
  }

  private isNewcomer(job: J, level: keyof Sharer = 'network') {
    return !this.inProgress().some((other) => other[level] === job[level]);
  }

  /** The images of an account count for one network, that of the oldest: an account has no more shares in several networks. */
  private placed({ account = '', network = account }: Sharer): Required<Sharer> {
    const oldest = account ? this.all().find((job) => job.account === account) : undefined;
    return { account, network: oldest?.network ?? network };
  }

  /** @param isKept whether the memory is kept for another newcomer, so that only the last quarter is open */
  private mayBegin(job: J, isKept: boolean) {
    return this.isNewcomer(job) ? this.admits(job, isKept) : this.admitsFurther(job, isKept);
  }

  /** From the network that has taken the most, and at least as much as the other; likewise the account, within a network. */
  private victimFor(next: J) {
    if (!this.options.canSuspend) return undefined;
    const moreThan = (a: J, b: J) => {
      const [[networkA, accountA], [networkB, accountB]] = [this.turns.takenMs(a), this.turns.takenMs(b)];
      return networkA - networkB || accountA - accountB;
    };
    return this.all('running')
      .filter((job) => !job.isUrgent && job.account !== next.account)
      .filter((job) => msUntilSuspendable(job, next) <= 0 && (next.isUrgent || moreThan(job, next) >= 0))
      .sort((a, b) => moreThan(b, a))
      .at(0);
  }

  private admits(job: J, isKept: boolean) {
    const { memoryBytes, processes } = this.options;
    const bytes = this.countedBytes(job);
    const quarter = memoryBytes * NEWCOMER_SHARE;
    const small = this.inProgress()
      .map((each) => this.countedBytes(each))
      .filter((each) => each <= quarter);
    if (isKept && sum(small) + bytes > quarter) return false;
    return this.usedBytes + bytes <= memoryBytes && this.inProgress().length < processes;
  }

  private admitsFurther(job: J, isKept: boolean) {
    const { memoryBytes, processes, canSuspend } = this.options;
    const bytes = this.countedBytes(job);
    // The command line has no accounts.
    const isShared = job.account !== '';
    const open = isShared ? memoryBytes * (1 - NEWCOMER_SHARE) : memoryBytes;
    if (isKept || this.usedBytes + bytes > open) return false;
    if (this.inProgress().length >= processes - (isShared && canSuspend ? 1 : 0)) return false;
    return (
      this.leavesHalf(job, 'network') && (this.isNewcomer(job, 'account') || this.leavesHalf(job, 'account'))
    );
  }

  private leavesHalf(job: J, level: keyof Sharer) {
    const othersWait = this.all('waiting').some((other) => other[level] !== job[level]);
    const own = this.inProgress().filter((other) => other[level] === job[level]);
    const bytes = sum([...own, job].map((each) => this.countedBytes(each)));
    return !othersWait || bytes <= this.options.memoryBytes * SHARE_WHILE_OTHERS_WAIT;
  }

  private inProgress() {
    return [...this.all('running'), ...this.all('suspended')];
  }

  /** The largest leave the last quarter to others. */
  private countedBytes({ demandBytes }: J) {
    return Math.floor(Math.min(demandBytes, this.options.memoryBytes * (1 - NEWCOMER_SHARE)));
  }
}

/** @param next for which it would be suspended. Abandoned images do not give way to each other at once, which would never end */
function msUntilSuspendable({ ranMs, sliceMs, isAbandoned }: Job, next?: Job) {
  if (isAbandoned && !next?.isAbandoned) return 0;
  return Math.max(QUANTUM_MS - ranMs, SLICE_MS - sliceMs);
}

function sum(values: readonly number[]) {
  return values.reduce((total, value) => total + value, 0);
}
