/**
 * Bounds for the error of a sample by its neighbourhood. Texture hides errors that would show as bands in a smooth gradient,
 * so the bound grows with the range of values in the surrounding 3×3 pixels. If that range is 0, nothing changes.
 */
import type { ErrorBounds } from './near-lossless-rows';

/**
 * From small to large errors: above each range, the bound is 1 higher. Each rung loses about 1.3 times as much as the previous one
 * and saves about 8% of the bytes.
 */
const LADDER = [
  [3],
  [1],
  [0, 8],
  [0, 4],
  [0, 4, 10],
  [0, 3, 8, 16],
  [0, 2, 5, 12],
  [0, 1, 4, 9, 20],
  [0, 0, 3, 7, 14, 28],
  [0, 0, 2, 5, 10, 20],
  [0, 0, 1, 3, 7, 14],
  [0, 0, 0, 2, 5, 10],
  [0, 0, 0, 1, 3, 7, 14],
  [0, 0, 0, 0, 2, 5, 10],
  [0, 0, 0, 0, 1, 4, 8, 16],
  [0, 0, 0, 0, 0, 3, 6, 12],
] as const;

/** Bounds from the smallest errors to the largest. */
export const BOUNDS_LADDER: readonly ErrorBounds[] = LADDER.map((ranges) =>
  Uint8Array.from({ length: 256 }, (_, range) => ranges.filter((least) => range > least).length),
);

/** Bounds of 0: nothing changes. */
export const EXACT_BOUNDS: ErrorBounds = new Uint8Array(256);
