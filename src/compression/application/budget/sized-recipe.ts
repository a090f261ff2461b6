/** What the two formats share on the way into a budget. */
import type { ByteBudget, CompressionPolicy } from '../../domain/compression-policy';
import type { ImageHeader } from '../../formats/image-header';
import type { CodecEngine } from '../codecs.port';
import type { Candidate, Outcome } from '../outcome';
import type { Stopwatch } from '../stopwatch';

/** An image, what is to be made of it, and the tools. */
export interface BudgetWork<Header = ImageHeader> {
  readonly bytes: Uint8Array;
  readonly header: Header;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly budget: ByteBudget;
  /** Least score of a result. */
  readonly floor: number;
  readonly stopwatch: Stopwatch;
}

/** What came of a try to fit an image into a budget at some dimensions. */
export interface Attempt {
  /** The best result that fits; absent when none does. */
  readonly fitting?: Candidate;
  /** Bytes that an acceptable result takes at least at these dimensions, about. */
  readonly minBytes: number;
}

/** The ways of one format to make an image fit into a budget. Dimensions are longer sides, in pixels. */
export interface SizedRecipe {
  fitAt(maxDimensionPx: number): Promise<Attempt>;
  /** The smallest acceptable result, whatever the budget. */
  smallestAt(maxDimensionPx: number): Promise<Outcome>;
}
