/** Types shared by the budget recipes of the two formats. */
import type { ByteBudget, CompressionPolicy } from '../../domain/compression-policy';
import type { ImageHeader } from '../../formats/image-header';
import type { CodecEngine } from '../codecs.port';
import type { Candidate, Outcome } from '../outcome';
import type { Stopwatch } from '../stopwatch';

/** An image with its policy, budget and codecs. */
export interface BudgetWork<Header = ImageHeader> {
  readonly bytes: Uint8Array;
  readonly header: Header;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly budget: ByteBudget;
  /** Lowest score of a result. */
  readonly floor: number;
  readonly stopwatch: Stopwatch;
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
  fitAt(maxDimensionPx: number): Promise<Attempt>;
  /** Returns the smallest acceptable result, regardless of the budget. */
  smallestAt(maxDimensionPx: number): Promise<Outcome>;
}
