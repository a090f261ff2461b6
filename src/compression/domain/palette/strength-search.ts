/** How strongly the indices of a palette image may be made to repeat: see repeat-matches.ts. */
import type { Verdict } from '../fidelity-guard';

/** The strength to begin with. */
export const USUAL_STRENGTH = 6;
const MOST_STRENGTH = 24;
/** The loss that a further trial aims at, and the one that ends the search. */
const WANTED_LOSS = 0.93;
const ENOUGH_LOSS = 0.85;
/** A trial that fails for another reason than its loss is followed by one of this share of its strength. */
const WEAKER = 0.4;

/**
 * Returns the strength of the next trial, or undefined where the last one is close enough to what is allowed. The loss
 * that repetition adds grows with about the square of the strength.
 * @param exactLoss of the palette without repetition
 */
export function nextStrength(
  exactLoss: number,
  strength: number,
  { passes, loss }: Verdict,
): number | undefined {
  if (passes && (loss >= ENOUGH_LOSS || strength >= MOST_STRENGTH)) return undefined;
  if (!passes && loss <= 1) return strength * WEAKER;
  const added = Math.max(loss - exactLoss, 0.001);
  const left = Math.max(WANTED_LOSS - exactLoss, 0);
  return Math.min(MOST_STRENGTH, strength * Math.sqrt(left / added));
}
