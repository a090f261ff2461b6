/**
 * How far the colours of small blocks shift, in XYB, where 0.02 is a just noticeable difference of luminance.
 * A mean over the whole image misses a rare colour that changes and a gradient that becomes steps.
 */
import type { Pixels, Plane } from '../pixels';
import type { SmoothAreas } from '../smooth-areas';
import type { Comparison } from './comparison';
import { BIN, countSteps, halfSizeLuminance } from './contour-steps';

/** Largest second difference of luminance between blocks without an edge. */
const MOST_CURVATURE = 0.01;
/** Largest change of samples, of 255, that a smooth area allows: see smooth-areas.ts. */
const SMOOTH_CAP = 2;

/** The size of the blocks whose steps are counted, and how many larger steps do not make a contour. */
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

/** Measures candidates against one original, whose smooth areas are found once. */
export class ShiftMeter {
  private readonly coarse: ContourMeter;
  private readonly fine: ContourMeter;
  private halfSize: Plane | undefined;

  constructor(smooth: SmoothAreas) {
    this.coarse = new ContourMeter(smooth, COARSE);
    this.fine = new ContourMeter(smooth, FINE);
  }

  measureShifts(compared: Comparison): Shifts {
    return {
      worstShift: Math.max(
        largestDifference(compared.planes('quarterY')),
        largestDifference(compared.planes('quarterX')),
        largestDifference(compared.planes('eighthB')),
      ),
      contour: this.coarse.measureContour(compared.planes('quarterY')),
    };
  }

  /** Returns the height of contours too narrow for blocks of 4×4 px, such as the rings of a small radial gradient. */
  measureFineContour(original: Pixels, candidate: Pixels): number {
    this.halfSize ??= halfSizeLuminance(original);
    return this.fine.measureContour([this.halfSize, { images: [original, candidate] }]);
  }
}

function largestDifference([{ data: a }, { data: b }]: readonly [Plane, Plane]) {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (difference > largest) largest = difference;
  }
  return largest;
}

interface SmoothBlocks {
  readonly isSmooth: Uint8Array;
  readonly all: number;
}

class ContourMeter {
  private smoothBlocks: SmoothBlocks | undefined;

  constructor(
    private readonly areas: SmoothAreas,
    private readonly blocks: Blocks,
  ) {}

  /**
   * Returns the step across a block, or to the next one, that only a small share of the smooth blocks exceeds:
   * isolated pixels make no contour, nor does a flat area that shifts as a whole.
   */
  measureContour([original, candidate]: readonly [Plane, Parameters<typeof countSteps>[2]]): number {
    const { isSmooth, all } = (this.smoothBlocks ??= this.findSmoothBlocks(original));
    const counts = countSteps(original, isSmooth, candidate);
    const isolated = Math.max(this.blocks.few, all * this.blocks.rare);
    let bin = counts.length - 1;
    for (let above = counts[bin]; bin > 0 && above <= isolated; above += counts[bin]) bin--;
    return bin * BIN;
  }

  private findSmoothBlocks({ width, height, data }: Plane): SmoothBlocks {
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
