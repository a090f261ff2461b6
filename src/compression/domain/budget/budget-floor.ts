import { QUALITY_TARGETS, type ByteBudget, type CompressionPolicy } from '../compression-policy';

/** Lower than any score that an encoder can reach. */
const NO_FLOOR = 0;

/**
 * Returns the lowest score of a result that must fit into a budget: that of `low`, or the policy's target if it is
 * lower; 0 if the client allows any result.
 */
export function floorScore({ targetScore }: CompressionPolicy, { allowsAny }: ByteBudget): number {
  return allowsAny ? NO_FLOOR : Math.min(targetScore, QUALITY_TARGETS.low);
}
