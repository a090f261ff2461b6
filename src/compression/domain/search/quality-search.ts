/**
 * The quality search: the lowest JPEG quality whose score still reaches the target.
 *
 * A curve known from a few looks at a sample says which quality to encode the whole image at, and that is scored.
 * Where the whole image scores otherwise than its sample, the ratio of their losses corrects what is asked of the
 * sample, and the search goes on (rarely).
 *
 * Scores rise with quality but not strictly: neighbouring qualities may swap places. The search therefore never
 * infers that a quality passes; what it returns has been encoded as a whole, scored, and has passed.
 */
import type { Effort } from '../compression-policy';
import type { QualityCurve, QualityRange } from './quality-curve';

/** Below 20 blocking is visible at any score; above 95 bytes grow fast and nobody sees the difference. */
export const SEARCH_RANGE: QualityRange = { lowest: 20, highest: 95 };

/** The sample is taken to be too hopeful by so many of its standard errors: a failure costs another whole encode. */
const CAUTIOUS_ERRORS = 0.7;
/** A sample that is this good leaves nothing to be corrected in a result that passes: a step of quality. */
const FAITHFUL_ERROR = 0.05;
/** After a failure, half a step more than the ratio asks for: a second one would cost another whole encode. */
const CAUTION = 1.02;
/** When a passing result is good enough, and how many whole encodes may be spent on a smaller one. */
interface Patience {
  /** Steps of quality that may be left in it: some 3 % of the bytes each. */
  readonly toleratedSteps: number;
  /** Whole encodes, the first included, that may be spent to come down to a lower quality. */
  readonly encodesForBytes: number;
}

const PATIENCE: Readonly<Record<Effort, Patience>> = {
  fast: { toleratedSteps: Infinity, encodesForBytes: 1 },
  balanced: { toleratedSteps: 3, encodesForBytes: 2 },
  max: { toleratedSteps: 0, encodesForBytes: 5 },
};

export interface Evaluation {
  /** The encoder's quality setting, 1..100. */
  readonly quality: number;
  /** The score of what it produced, 0..1. */
  readonly score: number;
}

export interface Evaluators<E extends Evaluation> {
  /** What the sample says about this picture. */
  readonly curve: QualityCurve;
  /** Loss (1 − score) of the same tiles on the block grid of the image, to be compared with the whole. */
  readonly alignedLoss: (quality: number) => Promise<number>;
  /** Encodes and scores the whole image; dear; called at most once a quality. */
  readonly whole: (quality: number) => Promise<E>;
}

export interface QualitySearchResult<E extends Evaluation> {
  /** The lowest-quality whole image that passed, or undefined when even the highest quality failed. */
  readonly passing?: E;
  /** Every whole image that was encoded, in order. */
  readonly evaluations: readonly E[];
}

/** @param effortNow asked before every whole encode: what began at leisure may end in a hurry */
export async function searchQuality<E extends Evaluation>(
  range: QualityRange,
  targetScore: number,
  { curve, alignedLoss, whole }: Evaluators<E>,
  effortNow: () => Effort = () => 'balanced',
): Promise<QualitySearchResult<E>> {
  const allowed = 1 - targetScore;
  const evaluations: E[] = [];
  let { lowest, highest } = range;
  const relativeError = lowest <= highest ? curve.relativeErrorAt(await curve.foresee(allowed, range)) : 0;
  // Loss of the whole image ÷ loss of its sample.
  let lossRatio = 1 + CAUTIOUS_ERRORS * relativeError;
  while (lowest <= highest) {
    const { toleratedSteps, encodesForBytes } = PATIENCE[effortNow()];
    const met = await curve.find(allowed / lossRatio, { lowest, highest });
    const wanted = Math.min(highest, met);
    const passed = lowestPassing(evaluations, targetScore);
    const isNearEnough = passed && passed.quality - wanted <= toleratedSteps;
    if (isNearEnough || (passed && evaluations.length >= encodesForBytes)) break;

    const evaluation = await whole(wanted);
    evaluations.push(evaluation);
    const loss = 1 - evaluation.score;
    const hasPassed = evaluation.score >= targetScore;
    const isTrusted = relativeError <= FAITHFUL_ERROR && toleratedSteps > 0;
    const expected = curve.lossAt(wanted);
    // The blocks of the source's own coding flatter the whole: without them there is less left than this.
    const stepsLeft = async () => wanted - (await curve.foresee((allowed * expected) / loss, range));
    if (hasPassed && (isTrusted || (await stepsLeft()) <= toleratedSteps)) break;
    const sampleLoss = Math.min(expected, await alignedLoss(wanted));
    if (sampleLoss > 0) lossRatio = (loss / sampleLoss) * (hasPassed ? 1 : CAUTION);
    if (hasPassed) {
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

function lowestPassing<E extends Evaluation>(evaluations: readonly E[], targetScore: number): E | undefined {
  return [...evaluations].sort((a, b) => a.quality - b.quality).find(({ score }) => score >= targetScore);
}
