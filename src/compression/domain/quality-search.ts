/**
 * The quality search: the lowest JPEG quality whose score still reaches the target, by bisection.
 *
 * Scores rise with quality but not strictly: neighbouring qualities may swap places. The search therefore
 * never infers that a quality passes; what it returns has been evaluated and has passed.
 */

/** Qualities that are worth asking an encoder for. */
export interface QualityRange {
  readonly lowest: number;
  readonly highest: number;
}

/** Below 20 blocking is visible at any score; above 95 bytes grow fast and nobody sees the difference. */
export const SEARCH_RANGE: QualityRange = { lowest: 20, highest: 95 };

export interface Evaluation {
  /** The encoder's quality setting, 1..100. */
  readonly quality: number;
  /** The score of what it produced, 0..1. */
  readonly score: number;
}

export interface QualitySearchResult<E extends Evaluation> {
  /** The lowest-quality evaluation that passed, or undefined when even the highest quality failed. */
  readonly passing?: E;
  /** Every evaluation made, in order; at most 1 + ⌈log2(range size)⌉ of them. */
  readonly evaluations: readonly E[];
}

/**
 * Bisects the range for the lowest passing quality.
 * @param evaluate encodes at the given quality and scores the result; called at most once a quality.
 */
export async function searchQuality<E extends Evaluation>(
  range: QualityRange,
  targetScore: number,
  evaluate: (quality: number) => Promise<E>,
): Promise<QualitySearchResult<E>> {
  const evaluations: E[] = [];
  let passing: E | undefined;
  let low = range.lowest;
  let high = range.highest;
  while (low <= high) {
    const quality = Math.floor((low + high) / 2);
    const evaluation = await evaluate(quality);
    evaluations.push(evaluation);
    if (evaluation.score >= targetScore) {
      if (!passing || evaluation.quality < passing.quality) passing = evaluation;
      high = quality - 1;
    } else {
      low = quality + 1;
    }
  }
  return { ...(passing ? { passing } : {}), evaluations };
}
