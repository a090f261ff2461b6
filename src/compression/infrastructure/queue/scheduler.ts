/**
 * Decides which images run. It predicts nothing: it measures the cost of an image while the image runs.
 *
 * - As many images run as there are workers. The next image is the first in turn order with memory and a process.
 * - An image that has run for a quantum is suspended when it is the turn of another account, which has taken less. The image keeps its
 *   process and memory, and continues when its turn comes. Spare processes make this possible.
 * - A newcomer is an image of an account that has none in progress. A quarter of the memory and the last process are for newcomers.
 *   While others wait, further images of an account begin within half of the memory only.
 * - Memory is kept for the first newcomer that has to wait for it. Later newcomers may use the last quarter.
 */
import { Turns, type Job, type JobState } from './turns';

/**
 * Running time before an image is first suspended, in milliseconds. Most images take less, a photo of 12 megapixels about 1 s, so
 * they need no spare process.
 */
export const QUANTUM_MS = 1_500;
/** Running time of an image per turn after its quantum, in milliseconds. */
const SLICE_MS = 250;
/** How often turns are compared while running images may be suspended, in milliseconds. */
const CHECK_MS = 100;
/** The share of the memory for newcomers. */
const NEWCOMER_SHARE = 0.25;
/** The share of the memory for the images of one account while others wait. */
const ACCOUNT_SHARE = 0.5;

export interface Processes<J> {
  /** Whether one is idle. */
  readonly isIdle: boolean;
  /** Starts processes until there are this many, including busy and suspended ones. Returns false if that exceeds the maximum. */
  grow(count: number): boolean;
  begin(job: J): void;
  suspend(job: J): void;
  resume(job: J): void;
}

export interface SchedulerOptions {
  /** Number of images that run at once. */
  readonly workers: number;
  /** Whether images can be suspended. */
  readonly canSuspend: boolean;
  /** Memory for all images in progress, in bytes. */
  readonly memoryBytes: number;
  /** Maximum number of processes, and so of images in progress. */
  readonly processes: number;
  /** Maximum number of waiting images that have not started. */
  readonly queueLimit: number;
}

export class Scheduler<J extends Job> {
  readonly turns = new Turns<J>();
  private readonly jobs = new Set<J>();

  constructor(
    private readonly options: SchedulerOptions,
    private readonly processes: Processes<J>,
  ) {}

  all(state?: JobState): J[] {
    return [...this.jobs].filter((job) => state === undefined || job.state === state);
  }

  /** Memory reserved for the images in progress, in bytes. */
  get usedBytes(): number {
    return sum(this.inProgress().map((job) => this.countedBytes(job)));
  }

  get hasFreeWorker(): boolean {
    return this.all('running').length < this.options.workers;
  }

  /** Whether a new image has to replace another. */
  get isFull(): boolean {
    const { length } = this.all('waiting');
    return length >= this.options.queueLimit && (length > 0 || !this.hasFreeWorker);
  }

  /** The image to refuse for an account with fewer: the newest of the account with the most, if that has several. */
  get replaceable(): J | undefined {
    const line = this.turns.longestLine();
    return line.length > 1 ? line.at(-1) : undefined;
  }

  /**
   * Whether an image of this account may be added; in a full queue, after removing `replaceable`. Each account gets a place before
   * any gets its second, and so on.
   */
  hasPlaceFor(account: string): boolean {
    return !this.isFull || this.turns.longestLine().length > this.turns.waitingOf(account).length + 1;
  }

  /** Adds an image, or adds it again after its process was lost. */
  add(job: J): void {
    job.enter('waiting');
    this.jobs.add(job);
    this.turns.add(job);
  }

  /** Removes an image that is done, has lost its process, or has not started. */
  remove(job: J): void {
    this.turns.remove(job);
    this.jobs.delete(job);
  }

  /**
   * Starts, continues and suspends images. Call it after every change.
   * @returns milliseconds after which to call it again even if nothing changes; undefined if that is not necessary
   */
  assign(): number | undefined {
    while (this.advance());
    const running = this.all('running');
    const isContended = running.length > 0 && this.jobs.size > running.length;
    if (!this.options.canSuspend || !isContended) return undefined;
    return Math.max(CHECK_MS, Math.min(...running.map(msUntilSuspendable)));
  }

  /** Starts or continues one image. Returns false if there is none that can run now. */
  private advance(): boolean {
    const inProgress = this.inProgress();
    const free = this.options.workers - this.all('running').length;
    /** Accounts whose next image does not fit: their images keep their order. */
    const blocked = new Set<string>();
    let isKept = false;
    let starting = 0;
    for (const job of this.turns.inOrder(QUANTUM_MS)) {
      const isNew = job.state === 'waiting';
      // The starting processes are for images before this one.
      if (starting >= Math.max(1, free)) return false;
      if (isNew ? blocked.has(job.account) : starting > 0) continue;
      const own = inProgress.filter(({ account }) => account === job.account);
      const isNewcomer = own.length === 0;
      if (isNew && !(isNewcomer ? this.admits(job, isKept) : this.admitsFurther(job, own, isKept))) {
        isKept ||= isNewcomer;
        if (!job.isUrgent) blocked.add(job.account);
        continue;
      }
      const victim = free > 0 ? undefined : this.victimFor(job);
      if (free <= 0 && !victim) return false;
      if (isNew && !this.processes.isIdle) {
        if (this.processes.grow(inProgress.length + starting + 1)) starting++;
        continue;
      }
      if (victim) this.suspend(victim);
      this.run(job);
      return true;
    }
    return false;
  }

  private run(job: J): void {
    const isNew = job.state === 'waiting';
    job.enter('running');
    if (isNew) this.processes.begin(job);
    else this.processes.resume(job);
  }

  private suspend(job: J): void {
    this.processes.suspend(job);
    job.enter('suspended');
  }

  /** Returns the image to suspend for another one: from the account that has taken the most, and at least as much as the other. */
  private victimFor({ account, isUrgent }: J): J | undefined {
    if (!this.options.canSuspend) return undefined;
    const least = isUrgent ? 0 : this.turns.takenMs(account);
    const takenMs = (job: J) => this.turns.takenMs(job.account);
    return this.all('running')
      .filter((job) => !job.isUrgent && job.account !== account)
      .filter((job) => msUntilSuspendable(job) <= 0 && takenMs(job) >= least)
      .sort((a, b) => takenMs(b) - takenMs(a))
      .at(0);
  }

  /**
   * Whether a newcomer may begin.
   * @param isKept whether the memory is kept for another one, so that only the last quarter is open
   */
  private admits(job: J, isKept: boolean): boolean {
    const { memoryBytes, processes } = this.options;
    const bytes = this.countedBytes(job);
    const quarter = memoryBytes * NEWCOMER_SHARE;
    const small = this.inProgress()
      .map((each) => this.countedBytes(each))
      .filter((each) => each <= quarter);
    if (isKept && sum(small) + bytes > quarter) return false;
    return this.usedBytes + bytes <= memoryBytes && this.inProgress().length < processes;
  }

  /** Whether an image may begin whose account has these in progress. */
  private admitsFurther(job: J, own: readonly J[], isKept: boolean): boolean {
    const { memoryBytes, processes, canSuspend } = this.options;
    const bytes = this.countedBytes(job);
    // The command line has no accounts.
    const isShared = job.account !== '';
    const open = isShared ? memoryBytes * (1 - NEWCOMER_SHARE) : memoryBytes;
    if (isKept || this.usedBytes + bytes > open) return false;
    if (this.inProgress().length >= processes - (isShared && canSuspend ? 1 : 0)) return false;
    const othersWait = this.all('waiting').some(({ account }) => account !== job.account);
    const ownBytes = sum(own.map((each) => this.countedBytes(each)));
    return !othersWait || ownBytes + bytes <= memoryBytes * ACCOUNT_SHARE;
  }

  /** The images that have a process. */
  private inProgress(): J[] {
    return [...this.all('running'), ...this.all('suspended')];
  }

  /** The memory of an image: an estimate from its header. The largest leave the last quarter to others. */
  private countedBytes({ demandBytes }: J): number {
    return Math.floor(Math.min(demandBytes, this.options.memoryBytes * (1 - NEWCOMER_SHARE)));
  }
}

function msUntilSuspendable({ ranMs, sliceMs }: Job): number {
  return Math.max(QUANTUM_MS - ranMs, SLICE_MS - sliceMs);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
