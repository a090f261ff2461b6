/**
 * Start-time fair queuing (P. Goyal, H. M. Vin and H. Cheng, 1996) on measured worker time, in two levels: networks take turns, and
 * the accounts of a network take turns in its time.
 *
 * Idle time earns no credit: a network or account starts level with the one that has taken the least. Urgent images come first.
 */
import type { Sharer } from '../../../contract/caller';

export type JobState = 'waiting' | 'running' | 'suspended';

export class Job {
  /** Goes first and is never suspended: a probe, which belongs to no account. */
  isUrgent = false;
  /** Nobody waits for its result. */
  isAbandoned = false;
  /** Worker time that it cost besides running: the restart of a killed worker. */
  restartMs = 0;
  readonly account: string;
  network: string;
  private readonly spentMs = { waiting: 0, running: 0, suspended: 0 };
  private current: JobState = 'waiting';
  private since = performance.now();

  constructor(
    { account = '', network = account }: Sharer,
    public demandBytes = 0,
  ) {
    this.account = account;
    this.network = network;
  }

  get state(): JobState {
    return this.current;
  }

  get ranMs(): number {
    return this.spentIn('running');
  }

  get takenMs(): number {
    return this.ranMs + this.restartMs;
  }

  get suspendedMs(): number {
    return this.spentIn('suspended');
  }

  get sliceMs(): number {
    return performance.now() - this.since;
  }

  enter(state: JobState) {
    this.spentMs[this.current] += this.sliceMs;
    this.current = state;
    this.since = performance.now();
  }

  private spentIn(state: JobState) {
    return this.spentMs[state] + (this.current === state ? this.sliceMs : 0);
  }
}

/** What a network has taken, or an account. */
interface Share<J extends Job> {
  /** Worker time of its departed images, in milliseconds. */
  pastMs: number;
  readonly jobs: Set<J>;
  /** Of a network: its accounts. */
  readonly members: Shares<J> | undefined;
}

/** Shares without an image are swept once there are this many more than after the last sweep. */
const SWEEP_AFTER = 64;

/** In a full queue, an image that needs more than this many times the memory of a new one gives up its place. */
const CLEARLY_MORE = 1.25;

class Shares<J extends Job> {
  private readonly shares = new Map<string, Share<J>>();
  /** Never falls while a share has an image. */
  private floorMs = 0;
  private sweepAt = SWEEP_AFTER;

  constructor(
    private readonly level: keyof Sharer,
    private readonly makeMembers?: () => Shares<J>,
  ) {}

  add(job: J) {
    const key = job[this.level];
    const share = this.shares.get(key) ?? { pastMs: 0, jobs: new Set<J>(), members: this.makeMembers?.() };
    if (share.jobs.size === 0) share.pastMs = Math.max(share.pastMs, this.raisedFloor());
    share.jobs.add(job);
    share.members?.add(job);
    this.shares.set(key, share);
  }

  remove(job: J) {
    const share = this.shares.get(job[this.level]);
    if (!share?.jobs.delete(job)) return;
    share.pastMs += job.takenMs;
    share.members?.remove(job);
    if (this.active.length === 0) this.shares.clear();
    else if (this.shares.size > this.sweepAt) this.sweep();
  }

  get size(): number {
    return this.shares.size;
  }

  /** That of each level. */
  takenMs(sharer: Sharer): number[] {
    const share = this.find(sharer);
    return [share ? takenBy(share) : this.floorMs, ...(share?.members?.takenMs(sharer) ?? [])];
  }

  /** Those that begin or continue now, and those that begin after all had a turn. */
  inOrder(quantumMs: number): { first: J[]; last: J[] } {
    const places = this.active.map((share) => findPlace(share, quantumMs)).sort((a, b) => a.ms - b.ms);
    return { first: places.flatMap(({ first }) => first), last: places.flatMap(({ last }) => last) };
  }

  /**
   * Returns the waiting image that gives its place to one of the sharer: the newest of the share with the most, if that keeps as many as
   * the sharer gets. One without an image also takes the only place of the share that has taken more time than it.
   *
   * A network without an image first takes the place of an image that needs clearly more memory, and never that of one that needs clearly
   * less. Large images wait for memory, so they could fill the queue; a share of the memory is kept for small newcomers.
   * @param demandBytes the least that the image may need
   */
  replaceableFor(sharer: Sharer, demandBytes: number): J | undefined {
    const own = this.find(sharer);
    const longest = this.longest();
    if (!longest) return undefined;
    const more = waitingIn(longest).length - (own ? waitingIn(own).length : 0);
    if (longest !== own && more > 1) return newestOf(longest);
    const hasNone = !own || own.jobs.size === 0;
    const comparable = hasNone && this.level === 'network' ? this.active.flatMap(waitingIn) : [];
    const largest = comparable.sort((a, b) => b.demandBytes - a.demandBytes).at(0);
    if (largest && largest.demandBytes > CLEARLY_MORE * demandBytes) return largest;
    const hasTaken = takenBy(longest) > (own ? takenBy(own) : this.floorMs);
    const newest = hasNone && longest !== own && more === 1 && hasTaken ? newestOf(longest) : undefined;
    const isSmaller = largest && newest && newest.demandBytes * CLEARLY_MORE < demandBytes;
    return newest && !isSmaller ? newest : own?.members?.replaceableFor(sharer, demandBytes);
  }

  /** The share with the most waiting images, and of several the one that has taken the most time. */
  longest(): Share<J> | undefined {
    return this.active
      .filter((share) => waitingIn(share).length > 0)
      .sort((a, b) => waitingIn(b).length - waitingIn(a).length || takenBy(b) - takenBy(a))
      .at(0);
  }

  private find(sharer: Sharer) {
    return this.shares.get(sharer[this.level] ?? '');
  }

  private get active(): Share<J>[] {
    return [...this.shares.values()].filter(({ jobs }) => jobs.size > 0);
  }

  private raisedFloor() {
    const { active } = this;
    if (active.length === 0) this.floorMs = 0;
    else this.floorMs = Math.max(this.floorMs, Math.min(...active.map(takenBy)));
    return this.floorMs;
  }

  private sweep() {
    const floor = this.raisedFloor();
    for (const [key, { jobs, pastMs }] of this.shares)
      if (jobs.size === 0 && pastMs <= floor) this.shares.delete(key);
    this.sweepAt = this.shares.size + SWEEP_AFTER;
  }
}

export class Turns<J extends Job> extends Shares<J> {
  constructor() {
    super('network', () => new Shares('account'));
  }

  /**
   * The first to run at the front. An account continues suspended images first, and starts others after all had a turn.
   * @param quantumMs extra time charged to a running image, so that equal accounts take turns
   */
  inTurn(quantumMs: number): J[] {
    const { first, last } = this.inOrder(quantumMs);
    const all = [...first, ...last];
    return [...all.filter(({ isUrgent }) => isUrgent), ...all.filter(({ isUrgent }) => !isUrgent)];
  }
}

function takenBy<J extends Job>({ pastMs, jobs }: Share<J>) {
  let ms = pastMs;
  for (const job of jobs) ms += job.takenMs;
  return ms;
}

function waitingIn<J extends Job>({ jobs }: Share<J>) {
  return [...jobs].filter(({ state, isUrgent }) => state === 'waiting' && !isUrgent);
}

function newestOf<J extends Job>(share: Share<J>): J | undefined {
  const longest = share.members?.longest();
  return longest ? newestOf(longest) : waitingIn(share).at(-1);
}

function findPlace<J extends Job>(share: Share<J>, quantumMs: number) {
  const jobs = [...share.jobs];
  const inState = (wanted: JobState) => jobs.filter(({ state }) => state === wanted);
  const ms = takenBy(share) + quantumMs * inState('running').length;
  if (share.members) return { ms, ...share.members.inOrder(quantumMs) };
  const [suspended, waiting] = [inState('suspended'), inState('waiting')];
  return suspended.length > 0 ? { ms, first: suspended, last: waiting } : { ms, first: waiting, last: [] };
}
