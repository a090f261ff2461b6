/**
 * What the terms of the score ask of a comparison. Two implementations answer: fast-reference.ts in
 * WebAssembly, and plain-reference.ts, with which tests compare it.
 */
import type { Pixels, Plane } from '../pixels';

/** Two images of the same size, compared as the terms of the score require. */
export interface Comparison {
  /** Fourth-power mean of the structural losses of luminance at full size. */
  fineStructure(): number;
  /** Power mean of the structural losses: see `pooledLoss`. */
  structure(plane: SmallPlane, power: 2 | 4): number;
  /** Power mean of the edges that only the candidate has: see addedEdges in plain-reference.ts. */
  addedEdges(plane: SmallPlane, power: 2 | 4): number;
  /** The planes of the original and of the candidate. */
  planes(plane: SmallPlane): readonly [Plane, Plane];
}

/** The planes at a quarter and an eighth of the size: X, Y and B as defined in perceptual-planes.ts. */
export const SMALL_PLANES = ['quarterX', 'quarterY', 'eighthY', 'eighthB'] as const;

export type SmallPlane = (typeof SMALL_PLANES)[number];

/** An image, or its tiles, prepared once for comparisons with many candidates of the same size. */
export interface PreparedReference {
  /** Returns the result of `look` for each tile, row by row. A comparison is valid only during the call. */
  compare<T>(candidate: Pixels, look: (comparison: Comparison) => T): T[];
}
