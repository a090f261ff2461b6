/** Searches how strongly the indices of a palette image may repeat: see repeat-matches.ts. */
import type { Verdict } from '../fidelity-guard';

/** The strength of the first trial. */
const USUAL_STRENGTH = 6;
const MOST_STRENGTH = 24;
/** The loss that a further trial aims for, and the loss that ends the search, as shares of the allowed loss. */
const WANTED_LOSS = 0.96;
const ENOUGH_LOSS = 0.9;
/** If a trial fails for a reason other than its loss, the next one goes this share of the way to its strength. */
const WEAKER = 0.4;

export interface StrengthTrial extends Pick<Verdict, 'loss'> {
  readonly strength: number;
}

/**
 * Returns the strength of the next trial; undefined if the strongest passing trial is close enough to the allowed loss. The loss
 * added by repetition grows with about the square of the strength.
 * @param passed the strongest trial that passed; at first the palette without repetition, of strength 0
 * @param failed the weakest trial that failed
 * @param density at which the image is seen: where single pixels are not, repetition loses less by its square
 */
export function nextStrength(
  passed: StrengthTrial,
  failed: StrengthTrial | undefined,
  exactLoss: number,
  density = 1,
): number | undefined {
  const [usual, most] = [USUAL_STRENGTH * density ** 2, MOST_STRENGTH * density ** 2];
  if (passed.strength >= most || (passed.strength > 0 && passed.loss >= ENOUGH_LOSS)) return undefined;
  if (failed) return between(passed, failed);
  if (passed.strength === 0) return usual;
  const added = Math.max(passed.loss - exactLoss, 0.001);
  const left = Math.max(WANTED_LOSS - exactLoss, 0);
  return Math.min(most, passed.strength * Math.sqrt(left / added));
}

function between(passed: StrengthTrial, failed: StrengthTrial): number {
  if (failed.loss <= 1) return passed.strength + WEAKER * (failed.strength - passed.strength);
  const share = Math.max(WANTED_LOSS - passed.loss, 0) / (failed.loss - passed.loss);
  return Math.sqrt(passed.strength ** 2 + share * (failed.strength ** 2 - passed.strength ** 2));
}
