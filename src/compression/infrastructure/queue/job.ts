/** An image in the queue, and the worker time that it has taken so far. */

export type JobState = 'waiting' | 'running' | 'suspended';

export class Job {
  /** Whether it goes first and is never suspended: a probe, or an image that lost its worker after its turn. */
  isUrgent = false;
  private readonly spentMs = { waiting: 0, running: 0, suspended: 0 };
  private current: JobState = 'waiting';
  private since = performance.now();

  /**
   * @param account whose turn it takes; empty for the service itself and for the command line
   * @param demandBytes maximum memory of a worker for it; see memoryDemand()
   */
  constructor(
    readonly account: string,
    readonly demandBytes: number,
  ) {}

  get state(): JobState {
    return this.current;
  }

  /** Worker time spent on it, in milliseconds. */
  get ranMs(): number {
    return this.spentIn('running');
  }

  get suspendedMs(): number {
    return this.spentIn('suspended');
  }

  /** Milliseconds since it entered its state. */
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
