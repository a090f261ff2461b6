/**
 * The quality search: the lowest JPEG quality whose result loses at most what is allowed. A few trial encodes of a mosaic
 * predict the quality, one encode of the whole image checks it, and its loss corrects the prediction.
 *
 * Losses fall with quality, but not strictly. The search never infers that a quality passes: what it returns has been
 * encoded as a whole, scored, and has passed.
 */
import type { Effort } from '../compression-policy';
import { MIN_LOSS, SEARCH_RANGE, type QualityRange, type TrialCurve } from './trial-curve';

/** When a passing result is good enough. */
interface Patience {
  /** Share of the allowed loss that may be left unused; 5 % of it are a step of quality, or 3 % of the bytes. */
  readonly toleratedRoom: number;
  /** Whole encodes, the first included, that may be spent to come down to a lower quality. */
  readonly encodesForBytes: number;
}

/** A smaller image costs less to encode: it deserves the last step. */
const SMALL_PIXELS = 1_000_000;

function patienceFor(effort: Effort, pixels: number): Patience {
  switch (effort) {
    case 'fast':
      return { toleratedRoom: 1, encodesForBytes: 1 };
    case 'balanced':
      return pixels < SMALL_PIXELS
        ? { toleratedRoom: 0.08, encodesForBytes: 2 }
        : { toleratedRoom: 0.15, encodesForBytes: 2 };
    case 'max':
      return { toleratedRoom: 0, encodesForBytes: 5 };
  }
}

/** What was encoded as a whole. */
export interface WholeResult {
  readonly quality: number;
  /** 0..1, of the decoded bytes. */
  readonly score: number;
}

export interface WholeSearch<R extends WholeResult> {
  readonly range: QualityRange;
  readonly allowedLoss: number;
  readonly effort: Effort;
  /** Of the image. */
  readonly pixels: number;
  /** Standard error of the image's loss as estimated by its mosaic, as a share of it. */
  readonly relativeError: number;
  /** Encodes and scores the whole image; called at most once for a quality. */
  readonly encode: (quality: number) => Promise<R>;
}

/** The mosaic is taken to be too hopeful by so many standard errors: a miss costs another whole encode. */
const CAUTIOUS_ERRORS = 0.3;
/** After a whole encode, a third of a step more than its loss asks for. */
const CAUTION_AFTERWARDS = 1.015;
/** A step down that misses the loss by no more than this, caution included, is worth another whole encode. */
const WORTH_A_TRY = 1.035;

/**
 * Encodes whole images until one passes that is good enough.
 * @param curve with one trial at least
 * @returns the smallest quality that passed, and everything that was encoded; no `passing` when the highest quality fails
 */
export async function searchQuality<R extends WholeResult>(
  curve: TrialCurve,
  { range, allowedLoss, effort, pixels, relativeError, encode }: WholeSearch<R>,
): Promise<{ readonly passing?: R; readonly tried: readonly R[] }> {
  const { toleratedRoom, encodesForBytes } = patienceFor(effort, pixels);
  const tried: R[] = [];
  let { lowest, highest } = range;
  let passing: R | undefined;
  const isGoodEnough = (result: R) => 1 - result.score >= allowedLoss * (1 - toleratedRoom);
  // Loss of the whole image ÷ loss of its mosaic.
  let ratio = 1 + CAUTIOUS_ERRORS * relativeError;
  while (lowest <= highest) {
    if (passing && (isGoodEnough(passing) || tried.length >= encodesForBytes)) break;
    const wanted = await curve.confirm(allowedLoss / ratio, { lowest, highest });
    // The mosaic says that lower qualities fail: only the greatest effort looks whether it is wrong.
    const isHopeless = curve.lossAt(wanted) * ratio > allowedLoss * WORTH_A_TRY;
    if (passing && isHopeless && effort !== 'max') break;
    const result = await encode(wanted);
    tried.push(result);
    const loss = 1 - result.score;
    ratio = (CAUTION_AFTERWARDS * Math.max(loss, MIN_LOSS)) / curve.lossAt(wanted);
    if (loss <= allowedLoss) {
      passing = result;
      highest = wanted - 1;
    } else {
      lowest = wanted + 1;
    }
  }
  return { ...(passing ? { passing } : {}), tried };
}

/** Full chroma reaches the same loss this many steps earlier. */
const FULL_CHROMA_LEAD = 5;
/** One trial tells the size of a mosaic at another quality within this factor. */
const SIZE_ERROR = 1.1;

/**
 * The chroma mode that reaches a loss in fewer bytes, and the bytes of its mosaic there. One trial of each mode decides,
 * unless they lie close together.
 * @param curves one for each mode worth trying, at least one
 */
export async function chooseChroma(
  curves: readonly TrialCurve[],
  loss: number,
  start: number,
): Promise<{ readonly curve: TrialCurve; readonly size: number }> {
  let next = start;
  for (const curve of curves) {
    const quality = await curve.find(loss, SEARCH_RANGE, next, 1);
    next = quality + (curve.chroma === '4:4:4' ? FULL_CHROMA_LEAD : -FULL_CHROMA_LEAD);
  }
  const sizeOf = (curve: TrialCurve) => curve.sizeFor(loss, SEARCH_RANGE);
  const smallest = Math.min(...curves.map(sizeOf));
  const close = curves.filter((curve) => sizeOf(curve) <= smallest * SIZE_ERROR);
  for (const curve of close) await curve.find(loss, SEARCH_RANGE, curve.qualityFor(loss));
  const curve = close.reduce((best, other) => (sizeOf(other) < sizeOf(best) ? other : best));
  return { curve, size: sizeOf(curve) };
}
