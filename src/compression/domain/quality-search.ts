/**
 * The quality search: the lowest JPEG quality whose score still reaches the target.
 *
 * It bisects on a small sample of the image, encodes the whole image once at the quality that the sample asks for,
 * and scores that. Where the whole image scores otherwise than its sample, the ratio of their losses corrects the
 * sample's target, and the search goes on (rarely).
 *
 * Scores rise with quality but not strictly: neighbouring qualities may swap places. The search therefore never
 * infers that a quality passes; what it returns has been encoded as a whole, scored, and has passed.
 */

/** Qualities that are worth asking an encoder for. */
export interface QualityRange {
  readonly lowest: number;
  readonly highest: number;
}

/** Below 20 blocking is visible at any score; above 95 bytes grow fast and nobody sees the difference. */
export const SEARCH_RANGE: QualityRange = { lowest: 20, highest: 95 };

/** A passing result this many steps above what the corrected sample asks for is near enough. */
const TOLERATED_STEPS = 1;
/** Full encodes that may be spent to come down to a lower quality once one has passed. */
const FULL_ENCODES_FOR_BYTES = 2;

export interface Evaluation {
  /** The encoder's quality setting, 1..100. */
  readonly quality: number;
  /** The score of what it produced, 0..1. */
  readonly score: number;
}

export interface Evaluators<E extends Evaluation> {
  /** Score of the sample at a quality, 0..1; cheap; called at most once a quality. */
  readonly sample: (quality: number) => Promise<number>;
  /** Encodes and scores the whole image; dear; called at most once a quality. */
  readonly whole: (quality: number) => Promise<E>;
}

export interface QualitySearchResult<E extends Evaluation> {
  /** The lowest-quality whole image that passed, or undefined when even the highest quality failed. */
  readonly passing?: E;
  /** Every whole image that was encoded, in order. */
  readonly evaluations: readonly E[];
}

export async function searchQuality<E extends Evaluation>(
  range: QualityRange,
  targetScore: number,
  { sample, whole }: Evaluators<E>,
): Promise<QualitySearchResult<E>> {
  const sampled = once(sample);
  const evaluations: E[] = [];
  // Loss of the whole image ÷ loss of its sample; learnt from each whole encode.
  let lossRatio = 1;
  let { lowest, highest } = range;
  while (lowest <= highest) {
    const wanted = await bisect(
      lowest,
      highest,
      async (q) => (1 - (await sampled(q))) * lossRatio <= 1 - targetScore,
    );
    const passed = lowestPassing(evaluations, targetScore);
    if (
      passed &&
      (passed.quality - wanted <= TOLERATED_STEPS || evaluations.length >= FULL_ENCODES_FOR_BYTES)
    )
      break;

    const evaluation = await whole(wanted);
    evaluations.push(evaluation);
    const sampleLoss = 1 - (await sampled(wanted));
    if (sampleLoss > 0) lossRatio = (1 - evaluation.score) / sampleLoss;
    if (evaluation.score >= targetScore) highest = wanted - 1;
    // Each failure lifts the lower end by more than the last one: no curve, however odd, takes many encodes.
    else lowest = wanted + 2 ** (evaluations.length - 1);
    if (evaluation.score < targetScore && lowest > highest && wanted < range.highest && !passed) {
      lowest = highest = range.highest;
    }
  }
  const passing = lowestPassing(evaluations, targetScore);
  return { ...(passing ? { passing } : {}), evaluations };
}

/** The lowest value of lowest..highest for which `passes` holds, taking it to be rising; `highest` if none does. */
async function bisect(
  lowest: number,
  highest: number,
  passes: (quality: number) => Promise<boolean>,
): Promise<number> {
  let low = lowest;
  let high = highest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function lowestPassing<E extends Evaluation>(evaluations: readonly E[], targetScore: number): E | undefined {
  return [...evaluations].sort((a, b) => a.quality - b.quality).find(({ score }) => score >= targetScore);
}

function once(evaluate: (quality: number) => Promise<number>): (quality: number) => Promise<number> {
  const known = new Map<number, Promise<number>>();
  return (quality) => {
    const found = known.get(quality) ?? evaluate(quality);
    known.set(quality, found);
    return found;
  };
}
