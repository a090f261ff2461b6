/**
 * Finds the best image within a byte limit: the usual result if it fits, or else ordinary attempts at a lower quality, then at
 * smaller dimensions. If none fits, refuses, or returns the smallest result if the client allows any.
 */
import { bestThatFits, dimensionSteps } from '../domain/byte-limit/fit-search';
import { QUALITY_TARGETS, type ByteLimit, type CompressionPolicy } from '../domain/compression-policy';
import { once } from '../domain/once';
import { budgetUnreachable } from '../../contract/image-problems';
import type { Result } from './choose';
import { isLate, type Context } from './context';
import type { OpenedImage } from './opened-image';

/** The smallest sides: half a side. A graphic may take more colours, and more bytes, when it is scaled further. */
const SMALLEST_STEPS = 5;
/**
 * The lowest score if any is allowed, but for the smallest result. Below it, smaller dimensions look better: at 0.94 the mean
 * SSIMULACRA2 of 25 results is 12, at 0.9 it is 8, without a floor 5.
 */
const LOWEST_SCORE = 0.94;

/**
 * The usual search may find a file that is smaller by this factor than that of an attempt, which is corrected by the next one: of 61
 * images at `low`, at most 1.07.
 */
const USUAL_GAIN = 1.15;

export interface LimitedResult extends Result {
  readonly budget?: 'met' | 'missed';
}

type Attempt = (image: OpenedImage, context: Context) => Promise<Result>;

/**
 * Returns the smallest acceptable result if none fits. An animation or a nine-patch loses no frames, colours or dimensions to fit: it is
 * attempted once.
 * @param attempt makes the smallest file of an image for a context
 */
export function withinByteLimit(
  image: OpenedImage,
  context: Context,
  byteLimit: ByteLimit,
  attempt: Attempt,
): Promise<Result> {
  return image.isFixed ? attempt(image, context) : bestWithin(image, context, byteLimit, attempt);
}

/** @throws ImageRefused `budget_unreachable` with the size of the result */
export function withOutcome(best: Result, { maxBytes, allowsAny }: ByteLimit): LimitedResult {
  if (best.bytes.length <= maxBytes) return { ...best, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, best.bytes.length);
  return { ...best, budget: 'missed' };
}

/** The usual result if it fits; else the best one at a lower quality or smaller dimensions; else the smallest. */
async function bestWithin(image: OpenedImage, context: Context, byteLimit: ByteLimit, attempt: Attempt) {
  const { maxBytes } = byteLimit;
  const limited = new LimitedAttempts(image, context, byteLimit, attempt);
  // An upload over the limit may have no result that fits: the smallest one shows it before the others are made.
  const isOver = image.source.bytes.length > maxBytes;
  if (isOver && ((await limited.smallest()).bytes.length > maxBytes || isLate(context)))
    return limited.smallest();
  const usual = await attempt(image, context);
  if (usual.bytes.length <= maxBytes) return usual;
  // The size of a file without loss tells nothing of files with loss.
  const atTarget = usual.score === 1 ? await limited.at(0, limited.sides[0], [usual.format]) : usual;
  if (atTarget.bytes.length <= maxBytes) return atTarget;
  const found = await bestThatFits(
    {
      maxBytes,
      sides: limited.sides,
      range: limited.range,
      isLate: () => isLate(context),
      attempt: (share, side) => limited.at(share, side, [atTarget.format]),
    },
    atTarget,
  );
  return found ?? limited.smallest();
}

/** Attempts at lower targets and smaller dimensions. */
class LimitedAttempts {
  /** Longer sides in pixels, largest first. */
  readonly sides: readonly number[];
  /** Logarithm of the largest acceptable loss ÷ the target. */
  readonly range: number;
  readonly smallest = once(() => this.findSmallest());
  private readonly target: number;
  private readonly most: number;

  constructor(
    private readonly image: OpenedImage,
    private readonly context: Context,
    private readonly limit: ByteLimit,
    private readonly attempt: Attempt,
  ) {
    const { targetScore } = context.policy;
    const lowest = limit.allowsAny ? LOWEST_SCORE : QUALITY_TARGETS.low;
    this.sides = dimensionSteps(Math.max(image.size.width, image.size.height));
    this.target = 1 - targetScore;
    this.most = 1 - Math.min(lowest, targetScore);
    this.range = Math.log(this.most / this.target);
  }

  /**
   * @param share from 0, the target, to 1, the lowest acceptable score: the floor
   * @param wanted bytes that it should not exceed
   */
  async at(
    share: number,
    maxDimensionPx: number,
    formats: CompressionPolicy['formats'],
    floor = 1 - this.most,
    wanted = this.limit.maxBytes,
  ): Promise<Result> {
    const { maxBytes, allowsAny } = this.limit;
    const { policy, timeLimit } = this.context;
    const asked = { ...policy, ...(formats && { formats }), maxDimensionPx, minSavingsRatio: 0 };
    const make = (targetScore: number, isFitted = true) => {
      // Attempts have to end with a result that fits.
      const ends = { timeLimit: undefined, effortLimit: timeLimit };
      const context = { ...this.context, isFitted, policy: { ...asked, targetScore }, ...ends };
      return this.attempt(this.image.reopen(context), context);
    };
    if (share < 1) return make(1 - this.target * Math.exp(this.range * share));
    const usualFloor = Math.min(QUALITY_TARGETS.low, policy.targetScore);
    const isOver = ({ bytes }: Result) => bytes.length > maxBytes;
    let result = await make(floor);
    // A graphic may take more bytes at a lower score; what fits without `allow` has to fit with it.
    if (allowsAny && floor !== usualFloor && isOver(result)) result = smaller(result, await make(usualFloor));
    // Otherwise an image whose usual result at the floor fits would lose dimensions.
    const isNear = maxDimensionPx === this.sides[0] && result.bytes.length <= wanted * USUAL_GAIN;
    return isNear && isOver(result) ? smaller(result, await make(usualFloor, false)) : result;
  }

  private async findSmallest() {
    const [last, ...others] = new Set([...this.sides.slice(-SMALLEST_STEPS).reverse(), this.sides[0]]);
    const floor = this.limit.allowsAny ? 0 : 1 - this.most;
    const at = (side: number, wanted?: number) =>
      this.at(1, side, this.context.policy.formats, floor, wanted);
    let least = await at(last);
    for (const side of others) {
      if (least.bytes.length <= this.limit.maxBytes) break;
      least = smaller(least, await at(side, least.bytes.length));
    }
    return least;
  }
}

const smaller = (one: Result, other: Result) => (other.bytes.length < one.bytes.length ? other : one);
