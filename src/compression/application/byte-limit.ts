/**
 * Finds the best image within a byte limit: the usual result if it fits, or else ordinary attempts at a lower quality, then at
 * smaller dimensions. If none fits, refuses, or returns the smallest result if the client allows any.
 */
import { bestThatFits, dimensionSteps } from '../domain/byte-limit/fit-search';
import { QUALITY_TARGETS, type ByteLimit, type FitAttempt } from '../domain/compression-policy';
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

export interface LimitedResult extends Result {
  readonly budget?: 'met' | 'missed';
}

/**
 * An animation or a nine-patch loses no frames, colours or dimensions to fit: it is attempted once.
 * @param attempt makes the smallest file of an image for a context
 * @throws ImageRefused `budget_unreachable` with the size of the smallest acceptable result
 */
export async function withinByteLimit(
  image: OpenedImage,
  context: Context,
  byteLimit: ByteLimit,
  attempt: (image: OpenedImage, context: Context) => Promise<Result>,
): Promise<LimitedResult> {
  const { maxBytes, allowsAny } = byteLimit;
  const best = image.isFixed
    ? await attempt(image, context)
    : await bestWithin(image, context, byteLimit, attempt);
  if (best.bytes.length <= maxBytes) return { ...best, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, best.bytes.length);
  return { ...best, budget: 'missed' };
}

async function bestWithin(
  image: OpenedImage,
  context: Context,
  { maxBytes, allowsAny }: ByteLimit,
  attemptWith: (image: OpenedImage, context: Context) => Promise<Result>,
): Promise<Result> {
  const { policy } = context;
  const { source, size } = image;
  const sides = dimensionSteps(Math.max(size.width, size.height));
  const [target, most] = [policy.targetScore, allowsAny ? LOWEST_SCORE : QUALITY_TARGETS.low].map(
    (score) => 1 - Math.min(score, policy.targetScore),
  );
  const range = Math.log(most / target);
  const attempt = (fit: FitAttempt, maxDimensionPx: number, formats = policy.formats) => {
    const targetScore = fit.share === 1 ? fit.floor : 1 - target * Math.exp(range * fit.share);
    const asked = { ...policy, targetScore, maxDimensionPx, minSavingsRatio: 0 };
    // Attempts have to end with a result that fits.
    const smaller = {
      ...context,
      fit,
      timeLimit: undefined,
      policy: formats ? { ...asked, formats } : asked,
    };
    return attemptWith(image.reopen(smaller), smaller);
  };
  const smallest = once(async () => {
    const [last, ...others] = new Set([...sides.slice(-SMALLEST_STEPS).reverse(), sides[0]]);
    const at = (side: number) => attempt({ share: 1, floor: allowsAny ? 0 : 1 - most }, side);
    let least = await at(last);
    for (const side of others) {
      if (least.bytes.length <= maxBytes) break;
      const result = await at(side);
      if (result.bytes.length < least.bytes.length) least = result;
    }
    return least;
  });
  const isOver = source.bytes.length > maxBytes;
  if (isOver && ((await smallest()).bytes.length > maxBytes || isLate(context))) return smallest();
  const atTarget = await attemptWith(image, context);
  if (atTarget.bytes.length <= maxBytes) return atTarget;
  const found = await bestThatFits(
    {
      maxBytes,
      sides,
      range,
      isLate: () => isLate(context),
      attempt: (share, side) => attempt({ share, floor: 1 - most }, side, [atTarget.format]),
    },
    atTarget.bytes.length,
  );
  return found ?? smallest();
}
