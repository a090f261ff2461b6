import { QUALITY_TARGETS, type ByteBudget, type CompressionPolicy } from '../compression-policy';

/** Below any score that an encoder can reach. */
const NO_FLOOR = 0;

/**
 * The least score of a result that was made to fit: that of `low`, or the policy's own target where it asks for less; 0
 * where the client allows any.
 */
export function floorScore({ targetScore }: CompressionPolicy, { allowsAny }: ByteBudget): number {
  return allowsAny ? NO_FLOOR : Math.min(targetScore, QUALITY_TARGETS.low);
}
