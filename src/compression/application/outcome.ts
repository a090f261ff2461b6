import type { BudgetOutcome, RemovedCompanion, SkipReason } from '../../contract/report-words';
import type { Dimensions } from '../domain/dimensions';

/** A new file that could be delivered. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** Of a JPEG: 1..100. */
  readonly quality?: number;
  /** Of its pixels against the source's, 0..1. */
  readonly score: number;
  /** Of a PNG: greatest difference of any channel of any pixel, 0..255; absent for a palette. */
  readonly maxError?: number;
  readonly dimensions: Dimensions;
  /** Data behind the image that the new file does not have. */
  readonly removed?: readonly RemovedCompanion[];
}

/** What a recipe decided: new bytes, or that the file is to be returned as it came. */
export type Outcome = ({ readonly skipReason: SkipReason } | Candidate) & {
  /** Present when the policy has a budget. */
  readonly budget?: BudgetOutcome;
};
