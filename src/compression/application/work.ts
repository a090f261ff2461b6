import type { CompressionPolicy } from '../domain/compression-policy';
import type { Pixels } from '../domain/pixels';
import type { Source } from '../formats/image-header';
import type { CodecEngine } from './codecs.port';
import type { Report, StageTimings } from '../../contract/report';
import type { ResultFormatName } from '../../contract/formats';

export interface Work<S extends Source = Source> {
  readonly source: S;
  /** The upload, if a package has read it; `source` is then its pixels as a PNG. */
  readonly uploaded?: AddedFile;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
  /** A PNG upload upright and scaled, for attempts at smaller dimensions. */
  readonly larger?: (() => Promise<Uint8Array>) | undefined;
  /** A JPG upload decoded at its largest dimensions, for the same. */
  readonly decoded?: (() => Promise<{ readonly pixels: Pixels }>) | undefined;
  /** Absent where a trial may take any time. */
  readonly timeLimit?: TimeLimit | undefined;
}

interface AddedFile {
  readonly bytes: Uint8Array;
  readonly format: ResultFormatName;
  readonly mayStay: boolean;
  /** Present if it fits into a byte limit. */
  readonly budget?: Report['budget'];
}

/** Asked before a trial that may be left out; the best result so far is delivered then. */
export class TimeLimit {
  private hasEndedTrials = false;

  constructor(private readonly isOver: () => boolean) {}

  endsTrials(): boolean {
    return (this.hasEndedTrials ||= this.isOver());
  }

  /** Whether trials were left out. */
  get wasReached(): boolean {
    return this.hasEndedTrials;
  }
}

/** Codecs work on their own threads, so an operation takes no time beyond `prepare`. */
export async function meanwhile<T, U>(started: Promise<T>, prepare: () => U): Promise<[T, U]> {
  // If `prepare` throws, nothing else awaits the promise, and a rejection would end the process.
  started.catch(() => undefined);
  const prepared = prepare();
  return [await started, prepared];
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export class Stopwatch {
  private readonly spent = { decode: 0, search: 0, encode: 0, verify: 0 };

  private encodeCount = 0;

  constructor(private readonly clock = () => performance.now()) {}

  get encodes(): number {
    return this.encodeCount;
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

export function otherFormats({ source, policy: { formats = [] } }: Work): ResultFormatName[] {
  return formats.filter((format) => format !== 'same' && format !== source.format);
}

/** Whether the format of the upload is accepted. */
export function mayStay(work: Work): boolean {
  const { formats } = work.policy;
  return formats === undefined || otherFormats(work).length < formats.length;
}
