/**
 * How much a JPEG may lose in one lossy encode. There are two bounds, in units of loss (1 − score):
 *
 * 1. The loss of this encode against the upload is at most the loss of the target.
 * 2. The total loss of all encodes, estimated against the first original, is at most the loss of the target `low`. So
 *    repeated compression, also by other tools, cannot degrade an image without limit.
 *
 * With `reference: 'original'` the second bound is the loss of the target itself.
 */
import { QUALITY_TARGETS, type CompressionPolicy } from './compression-policy';
import { remainingLoss } from './history/spent-loss';
import type { ChromaSubsampling } from './pixels';

/** With less than this share of the target's loss, a lossy encode saves hardly more than a lossless rewrite. */
const MIN_SHARE = 0.25;

/**
 * Returns the loss (1 − score) against the upload that this encode may cause; 0 if only lossless changes are allowed.
 * @param spent estimated loss of the upload against its first original, 0..1
 * @example
 * const policy = { targetScore: 0.9914, reference: 'upload' };
 * console.log(allowedLoss(policy, 0, '4:2:0').toFixed(4)); // '0.0086'
 * console.log(allowedLoss(policy, 0.05, '4:2:0')); // 0
 */
export function allowedLoss(
  { targetScore, reference }: Pick<CompressionPolicy, 'targetScore' | 'reference'>,
  spent: number,
  chroma: ChromaSubsampling,
): number {
  const target = 1 - targetScore;
  const total = reference === 'original' ? target : Math.max(target, 1 - QUALITY_TARGETS.low);
  const allowed = Math.min(target, remainingLoss(total, spent, chroma));
  return allowed < MIN_SHARE * target ? 0 : allowed;
}
