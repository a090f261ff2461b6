import type { StageTimings } from '../domain/compression-report';

/** Adds up the time spent in each stage of one recipe run, in milliseconds. */
export class Stopwatch {
  private spent = { decode: 0, search: 0, encode: 0, verify: 0 };

  private encodeCount = 0;

  /** @param clock in milliseconds */
  constructor(private readonly clock = () => performance.now()) {}

  /** Number of full encodes. */
  get encodes(): number {
    return this.encodeCount;
  }

  /** Starts again from zero, for another result of the same image. */
  restart(): void {
    this.spent = { decode: 0, search: 0, encode: 0, verify: 0 };
    this.encodeCount = 0;
  }

  async time<T>(stage: keyof StageTimings, work: () => Promise<T> | T): Promise<T> {
    const start = this.clock();
    try {
      return await work();
    } finally {
      if (stage === 'encode') this.encodeCount++;
      this.spent[stage] += this.clock() - start;
    }
  }

  /** Like `time`, for synchronous work. */
  measure<T>(stage: keyof StageTimings, work: () => T): T {
    const start = this.clock();
    try {
      return work();
    } finally {
      this.spent[stage] += this.clock() - start;
    }
  }

  timings(): StageTimings {
    return { ...this.spent };
  }
}
