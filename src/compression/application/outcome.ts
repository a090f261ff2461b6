import type { BudgetOutcome, RemovedCompanion, SkipReason } from '../../contract/report-words';
import type { ResultFormatName } from '../../contract/formats';
import type { Dimensions } from '../domain/dimensions';

/** A result that may be delivered. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** The format of the upload if absent. */
  readonly format?: ResultFormatName;
  /** The encoder's quality, 1..100. */
  readonly quality?: number;
  /** Score of its pixels against the source, 0..1. */
  readonly score: number;
  /** For a PNG, the largest difference of any channel of any pixel, 0..255; absent with a palette. */
  readonly maxError?: number;
  readonly dimensions: Dimensions;
  /** Data after the image that was removed. */
  readonly removed?: readonly RemovedCompanion[];
}

/** The image of the upload as stored, because no recipe makes it smaller. Made by `unchanged`. */
export interface Unchanged {
  readonly skipReason: SkipReason;
  /** The bytes of the upload, or a copy without private metadata. */
  readonly bytes: Uint8Array;
  /** Data after the image that the copy drops. */
  readonly removed?: readonly RemovedCompanion[];
}

/** The decision of a recipe: a new file, or the reason for none. */
export type Outcome = (Unchanged | Candidate) & {
  /** Present if the policy has a byte limit. */
  readonly budget?: BudgetOutcome;
};
