/** Types shared by the budget recipes of the two formats. */
import type { ByteBudget } from '../../domain/compression-policy';
import type { Source } from '../../formats/image-header';
import type { Candidate, Outcome } from '../outcome';
import type { Work } from '../work';

/** An image with its budget. */
export interface BudgetWork<S extends Source = Source> extends Work<S> {
  readonly budget: ByteBudget;
  /** Lowest score of a result. */
  readonly floor: number;
}

/** The outcome of fitting an image into a budget at some dimensions. */
export interface Attempt {
  /** The best result that fits; absent if none does. */
  readonly fitting?: Candidate;
  /** Estimated size of the smallest acceptable result at these dimensions. */
  readonly minBytes: number;
}

/** The budget recipe of one format. Dimensions are longer sides in pixels. */
export interface SizedRecipe {
  /** Returns the bytes of every result besides its coded pixels: metadata, colour profile, gain map. */
  surroundingBytes(): Promise<number>;
  /**
   * Returns an estimate of the size of the result without a budget where it exceeds the budget by so much that this result
   * need not be made; undefined if it may fit, or if nothing estimates it.
   */
  hopelessUsualBytes(): Promise<number | undefined>;
  /** @param usualBytes size of the result without a budget */
  fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt>;
  /** Returns the smallest acceptable result, regardless of the budget. */
  smallestAt(maxDimensionPx: number): Promise<Outcome>;
}

/** Animations and files whose companions must be kept are returned unchanged or refused. */
export function mayChange(outcome: Outcome): boolean {
  return !('skipReason' in outcome) || outcome.skipReason === 'already-optimised';
}
