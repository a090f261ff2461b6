/**
 * Finds the lowest quality whose result stays within the allowed loss. Trials of a mosaic predict it, and one encode
 * of the whole image corrects the prediction. Losses do not fall strictly with quality, so every result was encoded,
 * scored, and passed.
 */
import type { Effort } from '../compression-policy';
import { MIN_LOSS, type QualityRange, type TrialCurve, type WholePoint } from './trial-curve';

/** When a passing result is good enough, so that no further encode is worth its time. */
export interface Patience {
  /** Share of the allowed loss that may stay unused; 5% of it is about one quality step, or 3% of the bytes. */
  readonly toleratedRoom: number;
  /** Maximum number of full encodes, the first one included, to reach a lower quality. */
  readonly encodesForBytes: number;
  /** The mosaic is assumed to underestimate the loss by this many standard errors; absent where a miss costs much. */
  readonly cautiousErrors?: number;
  /** A lower quality is tried if its predicted loss is at most this multiple of the allowed one, margin included. */
  readonly worthATry?: number;
}

/** A full encode; `score` is that of the decoded bytes, 0..1. */
export interface WholeResult {
  readonly score: number;
}

export interface WholeSearch<R extends WholeResult> {
  readonly range: QualityRange;
  readonly allowedLoss: number;
  readonly effort: Effort;
  /** Standard error of the loss predicted by the mosaic, relative to that loss. */
  readonly relativeError: number;
  /** Typical ratio of the loss of the whole image to the loss of its mosaic; 1 if absent. */
  readonly expectedRatio?: number;
  readonly patience: Patience;
  /** Whether to try nothing more once a result has passed. */
  readonly isLate?: () => boolean;
  /** Whether a file of this quality may be small enough, by the last one that was encoded. */
  readonly isUseful?: (quality: number, last: R) => boolean;
  /** Encodes and scores the whole image; called at most once per quality. */
  readonly encode: (quality: number) => Promise<R>;
}

const CAUTIOUS_ERRORS = 0.3;
/** Margin after a full encode: a third of a quality step. */
const CAUTION_AFTERWARDS = 1.015;
/** More encodes are made between one that fails and one that leaves more than this share of the loss unused. */
const LARGE_ROOM = { bent: 0.15, straight: 0.25 };
const ENCODES_BETWEEN = 2;
const WORTH_A_TRY = 1.035;

/**
 * Encodes the whole image until a result passes and is good enough.
 * @param curve with at least one trial
 * @returns the lowest quality that passed, and every encode; `passing` is undefined if the highest quality
 * fails
 */
export async function searchQuality<R extends WholeResult>(
  curve: TrialCurve,
  search: WholeSearch<R>,
): Promise<{ readonly passing: R | undefined; readonly tried: readonly R[] }> {
  const { range, allowedLoss, effort, relativeError, expectedRatio = 1, encode } = search;
  const { toleratedRoom, encodesForBytes } = search.patience;
  const { cautiousErrors = CAUTIOUS_ERRORS, worthATry = WORTH_A_TRY } = search.patience;
  const tried: R[] = [];
  let { lowest, highest } = range;
  let passing: R | undefined;
  let passed: WholePoint | undefined;
  let failed: WholePoint | undefined;
  const hasRoom = (result: R, share: number) => 1 - result.score < allowedLoss * (1 - share);
  const encodesFor = (result: R) =>
    encodesForBytes + (failed && hasRoom(result, LARGE_ROOM[curve.shape]) ? ENCODES_BETWEEN : 0);
  // Loss of the whole image ÷ loss of its mosaic.
  let ratio = expectedRatio * (1 + cautiousErrors * relativeError);
  while (lowest <= highest) {
    if (passing && (!hasRoom(passing, toleratedRoom) || tried.length >= encodesFor(passing))) break;
    const left = { lowest, highest };
    const isBetween: boolean =
      passed !== undefined && failed !== undefined && (curve.isBent || tried.length >= encodesForBytes);
    const wanted: number =
      isBetween && passed && failed
        ? curve.between(passed, failed, allowedLoss / CAUTION_AFTERWARDS, left)
        : await curve.confirm(allowedLoss / ratio, left);
    // The mosaic predicts that lower qualities fail; only the effort `max` tries them.
    const isHopeless = !isBetween && curve.lossAt(wanted) * ratio > allowedLoss * worthATry;
    if (passing && ((isHopeless && effort !== 'max') || search.isLate?.())) break;
    const last = tried.at(-1);
    if (last && search.isUseful?.(wanted, last) === false) break;
    const result = await encode(wanted);
    tried.push(result);
    const loss = 1 - result.score;
    ratio = (CAUTION_AFTERWARDS * Math.max(loss, MIN_LOSS)) / curve.lossAt(wanted);
    if (loss <= allowedLoss) {
      passing = result;
      passed = { quality: wanted, loss: Math.max(loss, MIN_LOSS) };
      highest = wanted - 1;
    } else {
      lowest = wanted + 1;
      failed = { quality: wanted, loss };
    }
  }
  return { passing, tried };
}

/** 4:4:4 reaches the same loss at a quality this many steps lower. */
const FULL_CHROMA_LEAD = 5;
/** One trial predicts the size of a mosaic at another quality within this factor. */
const SIZE_ERROR = 1.1;

/** An encoder in one chroma mode. */
interface ChromaMode {
  readonly curve: TrialCurve;
}

/**
 * Returns the mode that reaches a loss in fewer bytes. One trial per mode decides, unless the predicted sizes
 * are close.
 * @param loss 1 − score
 * @param start quality of the first trial
 */
export async function chooseChroma<M extends ChromaMode>(
  modes: readonly M[],
  loss: number,
  range: QualityRange,
  start: number,
): Promise<M> {
  let next = start;
  for (const { curve } of modes) {
    const quality = await curve.find(loss, range, next, 1);
    next = quality + (curve.chroma === '4:4:4' ? FULL_CHROMA_LEAD : -FULL_CHROMA_LEAD);
  }
  const predictSize = ({ curve }: M) => curve.sizeFor(loss, range);
  const smallest = Math.min(...modes.map(predictSize));
  const close = modes.filter((mode) => predictSize(mode) <= smallest * SIZE_ERROR);
  for (const { curve } of close) await curve.find(loss, range, curve.qualityFor(loss));
  return close.reduce((best, other) => (predictSize(other) < predictSize(best) ? other : best));
}
