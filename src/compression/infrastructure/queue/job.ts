/** An image in the queue, and the worker time that it has taken so far. */

export type JobState = 'waiting' | 'running' | 'suspended';

export class Job {
  /** Whether it comes first and is never suspended: a probe, or an image that has had its turn but lost its worker. */
  isUrgent = false;
  private readonly spentMs = { waiting: 0, running: 0, suspended: 0 };
  private current: JobState = 'waiting';
  private since = performance.now();

  /**
   * @param account whose turn it takes; empty for the service itself and for the command line
   * @param demandBytes most memory that a worker needs for it; see memoryDemand()
   */
  constructor(
    readonly account: string,
    readonly demandBytes: number,
  ) {}

  get state(): JobState {
    return this.current;
  }

  /** Milliseconds that workers have spent on it. */
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
