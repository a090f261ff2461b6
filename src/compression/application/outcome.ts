import type { SkipReason } from '../domain/compression-report';
import type { Dimensions } from '../domain/dimensions';

/** A new file that could be delivered. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** Of a JPEG: 1..100. */
  readonly quality?: number;
  /** Of its pixels against the source's, 0..1. */
  readonly score: number;
  readonly dimensions: Dimensions;
}

/** What a recipe decided: new bytes, or that the file is to be returned as it came. */
export type Outcome = { readonly skipReason: SkipReason } | Candidate;
