/** Types shared by the recipes for byte limits. */
import type { ByteLimit } from '../../domain/compression-policy';
import type { Source } from '../../formats/image-header';
import type { Candidate, Outcome } from '../outcome';
import type { Work } from '../work';

/** An image with its byte limit. */
export interface LimitedWork<S extends Source = Source> extends Work<S> {
  readonly byteLimit: ByteLimit;
  /** Lowest score of a result. */
  readonly floor: number;
}

/** The result of fitting an image into a byte limit at some dimensions. */
export interface Attempt {
  /** The best result that fits; absent if none does. */
  readonly fitting?: Candidate | undefined;
  /** Estimated size of the smallest acceptable result at these dimensions. */
  readonly minBytes: number;
}

/** The recipe of one format for byte limits. Dimensions are longer sides in pixels. */
export interface SizedRecipe {
  /** Returns the bytes of every result besides its coded pixels: metadata, colour profile, gain map. Absent if results differ in them. */
  surroundingBytes?(): Promise<number>;
  /**
   * Estimates the size of the result without a limit. Returns it only if it exceeds the limit by so much that the result need
   * not be made; undefined if it may fit. Absent if there is no estimate.
   */
  hopelessUsualBytes?(): Promise<number | undefined>;
  /** @param usualBytes size of the result without a byte limit */
  fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt>;
  /** Returns the smallest acceptable result, whether or not it fits. */
  smallestAt(maxDimensionPx: number): Promise<Outcome>;
}

/** Animations and files whose companions must be kept are returned unchanged or refused. */
export function mayChange(outcome: Outcome): boolean {
  return !('skipReason' in outcome) || outcome.skipReason === 'already-optimised';
}
