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

/** Where photos at the default target end up more often than anywhere else: the first guess. */
const USUAL_QUALITY = 80;
/** How fast the logarithm of the loss falls with quality, on average: for the second guess. */
const USUAL_SLOPE = 0.04;
/** Guesses before plain bisection takes over; six are enough for any smooth curve. */
const GUESSES = 6;
/**
 * Loss of the whole image ÷ loss of its sample, before anything is known about the image: tiles miss some of the
 * worst places, and windows across their seams find little (median of 13 photos: 1.04).
 */
const USUAL_LOSS_RATIO = 1.05;
/**
 * A passing result this many steps above what the corrected sample asks for is near enough: some 3 % of the bytes a
 * step, against the time of a whole encode.
 */
const TOLERATED_STEPS = 2;
/** Full encodes that may be spent to come down to a lower quality once one has passed. */
const FULL_ENCODES_FOR_BYTES = 2;

export interface Evaluation {
  /** The encoder's quality setting, 1..100. */
  readonly quality: number;
  /** The score of what it produced, 0..1. */
  readonly score: number;
}

export interface Evaluators<E extends Evaluation> {
  /** Score of the sample at a quality, 0..1; cheap; asked again for the same quality, so better remembered. */
  readonly sample: (quality: number) => Promise<number>;
  /** Score of the same tiles on the block grid of the image, to be compared with the whole; the same as `sample`
   * where there is no such grid. */
  readonly alignedSample: (quality: number) => Promise<number>;
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
  { sample, alignedSample, whole }: Evaluators<E>,
): Promise<QualitySearchResult<E>> {
  const evaluations: E[] = [];
  let lossRatio = USUAL_LOSS_RATIO;
  const predictedLoss = async (quality: number) =>
    relativeLoss(await sample(quality), targetScore) * lossRatio;
  let { lowest, highest } = range;
  while (lowest <= highest) {
    const wanted = await lowestPassingSample({ lowest, highest }, predictedLoss);
    const passed = lowestPassing(evaluations, targetScore);
    const isNearEnough = passed && passed.quality - wanted <= TOLERATED_STEPS;
    if (isNearEnough || (passed && evaluations.length >= FULL_ENCODES_FOR_BYTES)) break;

    const evaluation = await whole(wanted);
    evaluations.push(evaluation);
    const sampleLoss = relativeLoss(await alignedSample(wanted), targetScore);
    if (sampleLoss > 0) lossRatio = relativeLoss(evaluation.score, targetScore) / sampleLoss;
    if (evaluation.score >= targetScore) {
      highest = wanted - 1;
    } else {
      // Each failure lifts the lower end by more than the last one: no curve, however odd, takes many encodes.
      lowest = wanted + 2 ** (evaluations.length - 1);
      const isLastChance = lowest > highest && wanted < range.highest && !passed;
      if (isLastChance) lowest = highest = range.highest;
    }
  }
  const passing = lowestPassing(evaluations, targetScore);
  return { ...(passing ? { passing } : {}), evaluations };
}

/** The loss in units of the loss that the target allows: at most 1 passes. */
export function relativeLoss(score: number, targetScore: number): number {
  return (1 - score) / (1 - targetScore);
}

/**
 * The lowest quality of the range whose loss is at most 1, taking losses to fall; the highest when none is. Guesses
 * along a straight line through the logarithms of the losses known so far, and bisects when that does not help.
 * @param lossAt relative loss at a quality; asked at most once for each.
 */
export async function lowestPassingSample(
  { lowest, highest }: QualityRange,
  lossAt: (quality: number) => Promise<number>,
): Promise<number> {
  let fails = { quality: lowest - 1, log: NaN };
  let passes = { quality: highest, log: NaN };
  for (let asked = 0; passes.quality - fails.quality > 1; asked++) {
    const guess = asked < GUESSES ? nextGuess(fails, passes) : (fails.quality + passes.quality) / 2;
    const quality = Math.max(fails.quality + 1, Math.min(passes.quality - 1, Math.floor(guess)));
    const loss = await lossAt(quality);
    const point = { quality, log: Math.log(Math.max(loss, 1e-6)) };
    if (loss <= 1) passes = point;
    else fails = point;
  }
  return passes.quality;
}

interface Point {
  readonly quality: number;
  /** Natural logarithm of the relative loss; NaN at an end of the range that has not been asked for. */
  readonly log: number;
}

/** Where the line through what is known crosses a loss of 1. */
function nextGuess(fails: Point, passes: Point): number {
  if (Number.isNaN(fails.log) && Number.isNaN(passes.log)) return USUAL_QUALITY;
  if (Number.isNaN(passes.log)) return fails.quality + 1 + fails.log / USUAL_SLOPE;
  if (Number.isNaN(fails.log)) return passes.quality + passes.log / USUAL_SLOPE;
  const share = fails.log / (fails.log - passes.log);
  return Math.round(fails.quality + share * (passes.quality - fails.quality));
}

function lowestPassing<E extends Evaluation>(evaluations: readonly E[], targetScore: number): E | undefined {
  return [...evaluations].sort((a, b) => a.quality - b.quality).find(({ score }) => score >= targetScore);
}
