/**
 * How far the colours of small blocks shift, in XYB, where 0.02 is a just noticeable difference of luminance. A mean over
 * the image does not see what happens to a rare colour, or in a gradient that becomes steps.
 */
import type { Plane } from '../pixels';
import type { SmoothAreas } from '../smooth-areas';
import type { Comparison } from './comparison';

/** Second difference of luminance from block to block, up to which no edge runs through them. */
const MOST_CURVATURE = 0.01;
/** Changes of samples, of 255, that smooth areas may have: see smooth-areas.ts. */
const SMOOTH_CAP = 2;

/** Steps are counted in bins of this size. */
const BIN = 0.00025;
const BINS = 256;

interface Blocks {
  /** Binary logarithm of the number of blocks along a side of a smooth area. */
  readonly perAreaLog2: number;
  /** Share of the smooth blocks, and number of blocks, in which larger steps make no contour. */
  readonly rare: number;
  readonly few: number;
}
/** Blocks of 4×4 px. */
const COARSE: Blocks = { perAreaLog2: 1, rare: 0.001, few: 6 };
/** Blocks of 2×2 px, among which single pixels still count; so larger steps may be less rare. */
const FINE: Blocks = { perAreaLog2: 2, rare: 0.01, few: 16 };

export interface Shifts {
  /** Largest difference between the means of a block: 4×4 px for luminance and red-green, 8×8 px for blue. */
  readonly worstShift: number;
  /** Height of the contours that a gradient got: what luminance steps by in smooth areas of the candidate, and not in the original. */
  readonly contour: number;
}

export function shiftsOf(compared: Comparison, smooth: SmoothAreas): Shifts {
  return {
    worstShift: Math.max(
      largestDifference(compared.planes('quarterY')),
      largestDifference(compared.planes('quarterX')),
      largestDifference(compared.planes('eighthB')),
    ),
    contour: contourOf(compared.planes('quarterY'), smooth, COARSE),
  };
}

/**
 * Returns the height of the contours that are too narrow for blocks of 4×4 px, such as the rings of a small radial gradient.
 * @param planes luminance at half size, of the original and the candidate
 */
export function fineContourOf(planes: readonly [Plane, Plane], smooth: SmoothAreas): number {
  return contourOf(planes, smooth, FINE);
}

function largestDifference([{ data: a }, { data: b }]: readonly [Plane, Plane]): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (difference > largest) largest = difference;
  }
  return largest;
}

/** Steps of two blocks' width do not see rings whose period is as long; steps from one block to the next see those. */
function stepAlong(before: number, here: number, after: number): number {
  return Math.max(Math.abs(after - before), Math.abs(after - here));
}

/**
 * Returns the step across a block, or to the next, that only a small share of the smooth blocks exceeds: isolated pixels
 * make larger ones, but no contour. A flat area that shifts as a whole has none.
 */
function contourOf(
  [{ width, height, data: a }, { data: b }]: readonly [Plane, Plane],
  { blocksPerRow, caps }: SmoothAreas,
  { perAreaLog2, rare, few }: Blocks,
): number {
  const counts = new Uint32Array(BINS);
  let smooth = 0;
  const shift = (at: number) => b[at] - a[at];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      if (caps[(y >> perAreaLog2) * blocksPerRow + (x >> perAreaLog2)] > SMOOTH_CAP) continue;
      const at = y * width + x;
      const across = Math.abs(a[at - 1] - 2 * a[at] + a[at + 1]);
      const down = Math.abs(a[at - width] - 2 * a[at] + a[at + width]);
      if (across > MOST_CURVATURE || down > MOST_CURVATURE) continue;
      const step = Math.max(
        stepAlong(shift(at - 1), shift(at), shift(at + 1)),
        stepAlong(shift(at - width), shift(at), shift(at + width)),
      );
      counts[Math.min(BINS - 1, Math.floor(step / BIN))]++;
      smooth++;
    }
  }
  const isolated = Math.max(few, smooth * rare);
  let bin = BINS - 1;
  for (let above = counts[bin]; bin > 0 && above <= isolated; above += counts[bin]) bin--;
  return bin * BIN;
}
