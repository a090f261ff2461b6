/**
 * Measures how far the colours of small blocks shift, in XYB, where 0.02 is a just noticeable difference of luminance. A mean over
 * the whole image misses a rare colour that changes and a gradient that becomes steps.
 */
import type { Plane } from '../pixels';
import type { SmoothAreas } from '../smooth-areas';
import type { Comparison } from './comparison';

/** Largest second difference of luminance between blocks without an edge. */
const MOST_CURVATURE = 0.01;
/** Largest change of samples, of 255, that a smooth area allows: see smooth-areas.ts. */
const SMOOTH_CAP = 2;

/** Size of the bins in which steps are counted. */
const BIN = 0.00025;
const BINS = 256;

interface Blocks {
  /** Binary logarithm of the blocks along a side of a smooth area. */
  readonly perAreaLog2: number;
  /** Larger steps in up to this share of the smooth blocks, or this number of blocks, make no contour. */
  readonly rare: number;
  readonly few: number;
}
/** Blocks of 4×4 px. */
const COARSE: Blocks = { perAreaLog2: 1, rare: 0.001, few: 6 };
/** Blocks of 2×2 px, in which single pixels still count, so larger steps may be more frequent. */
const FINE: Blocks = { perAreaLog2: 2, rare: 0.01, few: 16 };

export interface Shifts {
  /** Largest difference between the means of a block: 4×4 px for luminance and red-green, 8×8 px for blue. */
  readonly worstShift: number;
  /** Height of the contours in smooth areas: steps of luminance in the candidate that the original does not have. */
  readonly contour: number;
}

/** Measures the shifts of candidates for one original. */
export class ShiftMeter {
  private readonly coarse: ContourMeter;
  private readonly fine: ContourMeter;

  /** @param smooth the smooth areas of the original */
  constructor(smooth: SmoothAreas) {
    this.coarse = new ContourMeter(smooth, COARSE);
    this.fine = new ContourMeter(smooth, FINE);
  }

  shiftsOf(compared: Comparison): Shifts {
    return {
      worstShift: Math.max(
        largestDifference(compared.planes('quarterY')),
        largestDifference(compared.planes('quarterX')),
        largestDifference(compared.planes('eighthB')),
      ),
      contour: this.coarse.contourOf(compared.planes('quarterY')),
    };
  }

  /**
   * Returns the height of contours that are too narrow for blocks of 4×4 px, such as the rings of a small radial gradient.
   * @param planes luminance at half size, of the original and the candidate
   */
  fineContourOf(planes: readonly [Plane, Plane]): number {
    return this.fine.contourOf(planes);
  }
}

function largestDifference([{ data: a }, { data: b }]: readonly [Plane, Plane]): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (difference > largest) largest = difference;
  }
  return largest;
}

/** Blocks of the original in a smooth area and without an edge. */
interface SmoothBlocks {
  readonly isSmooth: Uint8Array;
  /** How many. */
  readonly all: number;
}

/** Marks the values that differ, and the four beside each of them. */
function besideDifferences({ width, data: a }: Plane, { data: b }: Plane): Uint8Array {
  const isNear = new Uint8Array(a.length);
  for (let at = 0; at < a.length; at++) {
    if (a[at] === b[at]) continue;
    isNear[at] = isNear[at - 1] = isNear[at + 1] = isNear[at - width] = isNear[at + width] = 1;
  }
  return isNear;
}

class ContourMeter {
  /** Computed for the first candidate. */
  private smoothBlocks: SmoothBlocks | undefined;

  constructor(
    private readonly areas: SmoothAreas,
    private readonly blocks: Blocks,
  ) {}

  /**
   * Returns the step across a block, or to the next one, that only a small share of the smooth blocks exceeds: isolated
   * pixels make larger steps, but no contour. A flat area that shifts as a whole has no step.
   */
  contourOf([original, candidate]: readonly [Plane, Plane]): number {
    const { width, data: a } = original;
    const { data: b } = candidate;
    const { isSmooth, all } = (this.smoothBlocks ??= this.smoothBlocksOf(original));
    const counts = new Uint32Array(BINS);
    const isNear = besideDifferences(original, candidate);
    // Everywhere else the step is 0.
    counts[0] = all;
    for (let at = width; at < isSmooth.length - width; at++) {
      if (isNear[at] === 0 || isSmooth[at] === 0) continue;
      const left = b[at - 1] - a[at - 1];
      const above = b[at - width] - a[at - width];
      const here = b[at] - a[at];
      const right = b[at + 1] - a[at + 1];
      const below = b[at + width] - a[at + width];
      const across = stepAlong(left, here, right);
      const down = stepAlong(above, here, below);
      // Math.floor() and Math.min() take five times as long here.
      const bin = ((across > down ? across : down) / BIN) | 0;
      counts[bin < BINS ? bin : BINS - 1]++;
      counts[0]--;
    }
    const isolated = Math.max(this.blocks.few, all * this.blocks.rare);
    let bin = BINS - 1;
    for (let above = counts[bin]; bin > 0 && above <= isolated; above += counts[bin]) bin--;
    return bin * BIN;
  }

  private smoothBlocksOf({ width, height, data }: Plane): SmoothBlocks {
    const { blocksPerRow, caps } = this.areas;
    const { perAreaLog2 } = this.blocks;
    const isSmooth = new Uint8Array(width * height);
    let all = 0;
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
        if (caps[(y >> perAreaLog2) * blocksPerRow + (x >> perAreaLog2)] > SMOOTH_CAP) continue;
        const across = Math.abs(data[at - 1] - 2 * data[at] + data[at + 1]);
        const down = Math.abs(data[at - width] - 2 * data[at] + data[at + width]);
        if (across > MOST_CURVATURE || down > MOST_CURVATURE) continue;
        isSmooth[at] = 1;
        all++;
      }
    }
    return { isSmooth, all };
  }
}

/** A two-block step misses rings with a two-block period; a one-block step finds them. */
function stepAlong(before: number, here: number, after: number): number {
  const [wide, narrow] = [Math.abs(after - before), Math.abs(after - here)];
  return wide > narrow ? wide : narrow;
}
