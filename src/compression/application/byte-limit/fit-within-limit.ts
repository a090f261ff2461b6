/**
 * Finds the best image within a byte limit: the usual result if it fits, or else ordinary attempts at a lower quality, then at
 * smaller dimensions. If none fits, refuses, or returns the smallest result if the client allows any.
 */
import { bestThatFits, dimensionSteps } from '../../domain/byte-limit/fit-search';
import {
  QUALITY_TARGETS,
  type ByteLimit,
  type CompressionPolicy,
  type FitAttempt,
} from '../../domain/compression-policy';
import { fitWithin, sameSize } from '../../domain/dimensions';
import { budgetUnreachable } from '../../../contract/image-problems';
import type { Outcome } from '../outcome';
import { JpegWork } from '../jpeg/jpeg-work';
import { PngWork } from '../png/png-work';
import { once, type Work } from '../work';
import { compressToSmallest } from '../results/choose-format';
import type { Upload } from '../uploads/upload';

/** The smallest sides: half a side. A graphic may take more colours, and more bytes, when it is scaled further. */
const SMALLEST_STEPS = 5;
/**
 * The lowest score if any is allowed, but for the smallest result. Below it, smaller dimensions look better: at 0.94 the mean
 * SSIMULACRA2 of 25 results is 12, at 0.9 it is 8, without a floor 5.
 */
const LOWEST_SCORE = 0.94;

/** @throws ImageRefused `budget_unreachable` with the size of the smallest acceptable result */
export async function fitWithinLimit(task: Work, byteLimit: ByteLimit): Promise<Outcome> {
  return withBudget(await bestWithin(task, byteLimit), byteLimit);
}

/** @throws ImageRefused if the outcome exceeds the limit and the client does not allow any */
function withBudget(outcome: Outcome, { maxBytes, allowsAny }: ByteLimit): Outcome {
  const size = outcome.bytes.length;
  if (size <= maxBytes) return { ...outcome, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, size);
  return { ...outcome, budget: 'missed' };
}

async function bestWithin(task: Work, { maxBytes, allowsAny }: ByteLimit): Promise<Outcome> {
  const { source } = task;
  const policy = unlimited(task, maxBytes);
  const largest = fitWithin(source.dimensions, policy);
  const sides = dimensionSteps(Math.max(largest.width, largest.height));
  const isScaled = !sameSize(largest, source.dimensions);
  const larger =
    source.format === 'png' && isScaled ? new PngWork({ ...task, source, policy }).plain : undefined;
  // Without its gain map, a photo may be rotated.
  const isDecodedOnce = source.format === 'jpeg' && !source.structure.trailing.gainMap;
  const decoded = isDecodedOnce ? new JpegWork({ ...task, source, policy }).image : undefined;
  const [target, most] = [policy.targetScore, allowsAny ? LOWEST_SCORE : QUALITY_TARGETS.low].map(
    (score) => 1 - Math.min(score, policy.targetScore),
  );
  const range = Math.log(most / target);
  const attempt = (fit: FitAttempt, maxDimensionPx: number, formats = policy.formats) => {
    const targetScore = fit.share === 1 ? fit.floor : 1 - target * Math.exp(range * fit.share);
    const asked = { ...policy, fit, targetScore, maxDimensionPx, minSavingsRatio: 0 };
    return compressToSmallest({
      ...task,
      // Attempts have to end with a result that fits.
      timeLimit: undefined,
      policy: formats ? { ...asked, formats } : asked,
      larger,
      decoded,
    });
  };
  const smallest = once(async () => {
    const [last, ...others] = new Set([...sides.slice(-SMALLEST_STEPS).reverse(), sides[0]]);
    const at = (side: number) => attempt({ share: 1, floor: allowsAny ? 0 : 1 - most }, side);
    let least = await at(last);
    for (const side of others) {
      if (least.bytes.length <= maxBytes) break;
      const outcome = await at(side);
      if (outcome.bytes.length < least.bytes.length) least = outcome;
    }
    return least;
  });
  const isLate = () => task.timeLimit?.endsTrials() === true;
  if (source.bytes.length > maxBytes && ((await smallest()).bytes.length > maxBytes || isLate()))
    return smallest();
  const atTarget = await compressToSmallest({ ...task, policy, decoded });
  if (atTarget.bytes.length <= maxBytes) return atTarget;
  const formats = [('format' in atTarget && atTarget.format) || source.format];
  const found = await bestThatFits(
    {
      maxBytes,
      sides,
      range,
      isLate,
      attempt: (share, side) => attempt({ share, floor: 1 - most }, side, formats),
    },
    atTarget.bytes.length,
  );
  return found ?? smallest();
}

/** Returns the policy without the limit. An upload over the limit is replaced however little that saves. */
function unlimited({ source, policy }: Work, maxBytes: number): CompressionPolicy {
  const others: { -readonly [K in keyof CompressionPolicy]: CompressionPolicy[K] } = { ...policy };
  delete others.byteLimit;
  return source.bytes.length > maxBytes ? { ...others, minSavingsRatio: 0 } : others;
}

/**
 * Compresses an animation or a nine-patch. These lose no frames, colours or dimensions to fit: returns the usual result if it fits
 * or the client allows any.
 * @throws ImageRefused if it does not fit, or if the image does not allow the request
 */
export async function compressFixed(work: Work, compress: Upload['compress']): Promise<Outcome> {
  const { byteLimit } = work.policy;
  if (!byteLimit) return compress(work);
  return withBudget(await compress({ ...work, policy: unlimited(work, byteLimit.maxBytes) }), byteLimit);
}
