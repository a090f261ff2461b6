/**
 * One list of candidates and one way to choose among them: codings of one format, then formats. The chooser takes the smallest
 * estimates first, stops where nothing left can win or time is up, and keeps the smallest file that its rules admit.
 */
import type { ResultFormatName } from '../../contract/formats';
import type { RemovedData, SkipReason } from '../../contract/report-words';
import { savesEnough } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';

/** A file as it is delivered, metadata and marker in it, decoded and scored. */
export interface Result {
  readonly format: ResultFormatName;
  readonly bytes: Uint8Array;
  /** Similarity of its pixels to the upload's, at most 1. */
  readonly score: number;
  /** Upright, in pixels. */
  readonly dimensions: Dimensions;
  /** The encoder's quality; absent if it has none. */
  readonly quality?: number;
  /** For a PNG, the largest difference of any channel of any pixel, 0..255; absent with a palette. */
  readonly maxError?: number;
  readonly removed?: readonly RemovedData[];
  /** Why the coded data are the upload's; absent if they are new. */
  readonly skipReason?: SkipReason;
  /** The score of a file that misses the target, on the scale that steers its search; absent if it passes. */
  readonly missedScore?: number;
}

/** Something that may win. */
export interface Candidate {
  /** Returns the expected bytes of its file; Infinity if it is worth a try only where no other file is admitted. */
  readonly estimate: () => Promise<number> | number;
  /** Most bytes that it may be expected to take; any number if absent. */
  readonly most?: () => Promise<number> | number;
  /** It is not made if its estimate exceeds the smallest file so far by more than this factor: estimates err. */
  readonly margin: number;
  /** Makes the file; expensive. Returns undefined if it gains nothing. @param smallest bytes of the smallest file so far */
  readonly make: (smallest: number) => Promise<Result | undefined>;
}

/** What a file must save of the upload: see savesEnough. */
interface Rules {
  readonly originalSize: number;
  /** 0..1. */
  readonly minSavingsRatio: number;
  /** Whether any file is better than the upload, one that misses the target included. */
  readonly mustChange: boolean;
}

/** Returns undefined if no file is admitted. @param isLate asked before a file that need not be made */
export async function choose(
  candidates: readonly Candidate[],
  rules: Rules,
  isLate: () => boolean,
): Promise<Result | undefined> {
  const isAdmitted = (file: Result | undefined): file is Result => {
    if (!file || file.missedScore !== undefined) return false;
    if (file.skipReason !== undefined || rules.mustChange) return true;
    return savesEnough(rules.originalSize, file.bytes.length, rules);
  };
  let best: Result | undefined;
  for (const { candidate, bytes } of await bySize(candidates)) {
    const smallest = isAdmitted(best) ? best.bytes.length : Infinity;
    const isSettled =
      smallest < Infinity && (bytes === Infinity || bytes > smallest * candidate.margin || isLate());
    if (!isSettled) best = better(best, await candidate.make(smallest));
  }
  return rules.mustChange || isAdmitted(best) ? best : undefined;
}

/** Returns the candidates that may win, the smallest estimate first. A single one needs no estimate. */
async function bySize(
  candidates: readonly Candidate[],
): Promise<{ readonly candidate: Candidate; readonly bytes: number }[]> {
  const sized: { candidate: Candidate; bytes: number }[] = [];
  for (const candidate of candidates) {
    const isEstimated = candidates.length > 1 || candidate.most;
    const bytes = isEstimated ? await candidate.estimate() : 0;
    if (bytes === Infinity || bytes <= ((await candidate.most?.()) ?? Infinity))
      sized.push({ candidate, bytes });
  }
  return sized.sort((a, b) => a.bytes - b.bytes);
}

/** Returns the smaller one of those that pass; without any, the one that looks more like the upload. */
function better(best: Result | undefined, other: Result | undefined) {
  if (!best || !other) return best ?? other;
  const [one, two] = [best.missedScore, other.missedScore];
  if (one !== undefined && two !== undefined) return two > one ? other : best;
  if (one !== undefined || two !== undefined) return one === undefined ? best : other;
  return other.bytes.length < best.bytes.length ? other : best;
}
