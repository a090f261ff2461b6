/** What the steps of the recipe share about one image. */
import type { ResultFormatName } from '../../contract/formats';
import type { StageTimings } from '../../contract/report';
import { EFFORTS, type CompressionPolicy, type Effort } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';
import { isTooSmallToJudge } from '../domain/score/as-seen';
import type { CodecEngine } from './codecs.port';

export interface Context {
  /** The codecs: they turn bytes into pixels and back, and decide nothing. */
  readonly engine: CodecEngine;
  /** What the client and the deployment ask of the result. */
  readonly policy: CompressionPolicy;
  /** Adds up the time of each stage for the report. */
  readonly stopwatch: Stopwatch;
  /** Says when to try nothing more; absent where a trial may take any time. */
  readonly timeLimit?: TimeLimit | undefined;
  /** Bounds the effort of attempts that may not end early. `timeLimit` if absent. */
  readonly effortLimit?: TimeLimit | undefined;
  /** Of an upload that became pixels first. */
  readonly decodedUpload?: DecodedUploadFacts;
  /** Whether it is an attempt to fit into a byte limit: it may lose all that its target allows, and is corrected by the next attempt. */
  readonly isFitted?: boolean;
}

interface DecodedUploadFacts {
  readonly byteLength: number;
  /** Whether it lost something when it was coded: its noise is no drawing. */
  readonly isLossy: boolean;
  /** Larger files are of no use, because the upload comes back instead; Infinity if it may not. */
  readonly mostBytes: number;
}

/** Asked before a step that may be left out or made with less effort; the best result so far is delivered then. */
export class TimeLimit {
  /** Whether something was. */
  wasReached = false;

  /** @param leftMs returns the milliseconds in which steps may still end */
  constructor(private readonly leftMs: () => number) {}

  /** Whether a step that takes `stepMs` milliseconds ends before the limit. If not, the result is partial. */
  allows(stepMs: number): boolean {
    const isInTime = stepMs < this.leftMs();
    this.wasReached ||= !isInTime;
    return isInTime;
  }
}

/** Whether it is too late to begin a step that takes `stepMs` milliseconds. A call that returns true makes the result partial. */
export function isLate({ timeLimit }: Pick<Context, 'timeLimit'>, stepMs = 0): boolean {
  return timeLimit?.allows(stepMs) === false;
}

/** Shorter work is started even if less time is left. */
const SHORT_MS = 300;

/**
 * Whether a result can be made before the limit. A call that returns false makes the result partial.
 * @param leastMs milliseconds of processor time a megapixel of the shortest way to a smaller file, by a constant of the encoder
 */
export function canEnd(
  context: Pick<Context, 'timeLimit'>,
  { width, height }: Dimensions,
  leastMs: number,
): boolean {
  const ms = ((width * height) / 1e6) * leastMs;
  return ms < SHORT_MS || !isLate(context, ms);
}

/** Whether nothing of an image may be lost, because no score can tell how it looks; a byte limit asks for a loss all the same. */
export function isTooSmall({ isFitted = false }: Pick<Context, 'isFitted'>, size: Dimensions): boolean {
  return !isFitted && isTooSmallToJudge(size);
}

/** Attempts within a byte limit, each with a step of its own. */
const FITTED_STEPS = 6;

/**
 * Returns the effort of the policy, or the most with which a step ends in time; `fast` if none does.
 * @param stepMs milliseconds at an effort, by a constant of the encoder: a plan does not depend on the machine
 */
export function effortInTime(
  { policy, timeLimit, effortLimit = timeLimit, isFitted }: Omit<Context, 'engine' | 'stopwatch'>,
  stepMs: (effort: Effort) => number = () => 0,
): Effort {
  const steps = isFitted ? FITTED_STEPS : 1;
  const [, ...above] = EFFORTS.slice(0, EFFORTS.indexOf(policy.effort) + 1);
  const isInTime = (effort: Effort) => effortLimit?.allows(steps * stepMs(effort)) !== false;
  return above.reverse().find(isInTime) ?? 'fast';
}

/** Codecs work on their own threads, so an operation takes no time beyond `prepare`. */
export async function meanwhile<T, U>(started: Promise<T>, prepare: () => U): Promise<[T, U]> {
  // If `prepare` throws, nothing else awaits the promise, and a rejection would end the process.
  started.catch(() => undefined);
  const prepared = prepare();
  return [await started, prepared];
}

/** Milliseconds by stage, of the clock that it is given; a worker gives it processor time. */
export class Stopwatch {
  encodes = 0;
  private readonly spent = { decode: 0, search: 0, encode: 0, verify: 0 };

  constructor(private readonly clock = () => performance.now()) {}

  async time<T>(stage: keyof StageTimings, work: () => Promise<T> | T): Promise<T> {
    const start = this.clock();
    try {
      return await work();
    } finally {
      if (stage === 'encode') this.encodes++;
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

/** The accepted formats besides that of the upload, in the order in which the client names them. */
export function otherFormats(
  { policy: { formats = [] } }: Pick<Context, 'policy'>,
  own: ResultFormatName,
): ResultFormatName[] {
  return formats.filter((format) => format !== 'same' && format !== own);
}

/** Whether the format of the upload is accepted. */
export function mayStay(context: Pick<Context, 'policy'>, own: ResultFormatName): boolean {
  const { formats } = context.policy;
  return formats === undefined || otherFormats(context, own).length < formats.length;
}
