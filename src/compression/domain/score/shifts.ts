/**
 * In XYB, where 0.02 is a just noticeable difference of luminance. A mean over the whole image misses a rare colour
 * that changes and a gradient that becomes steps.
 */
import type { Pixels, Plane } from '../pixels';
import type { SmoothAreas } from '../smooth-areas';
import type { Comparison } from './comparison';
import { halfSizeLuminance, type HalfSized } from './perceptual-planes';

/** Largest second difference of luminance between blocks without an edge. */
const MOST_CURVATURE = 0.01;
/** Largest change of samples, of 255, that a smooth area allows: see smooth-areas.ts. */
const SMOOTH_CAP = 2;

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

export class ShiftMeter {
  private readonly coarse: ContourMeter;
  private readonly fine: ContourMeter;

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

  /** Returns the luminance of the original at half size, with the blocks that measureFineContour reads. */
  halveImage(original: Pixels): HalfSized {
    const luminance = halfSizeLuminance(original);
    const scratch = new Float32Array(luminance.data.length);
    return { pixels: original, luminance, isUsed: this.fine.usedBlocks(luminance), scratch };
  }

  /** Returns the height of contours too narrow for blocks of 4×4 px, such as the rings of a small radial gradient. */
  measureFineContour(planes: readonly [Plane, Plane]): number {
    return this.fine.measureContour(planes);
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

interface SmoothBlocks {
  readonly isSmooth: Uint8Array;
  readonly all: number;
}

/** Returns the bits of the values, which compare faster. */
function toIntegers({ data }: Plane): Int32Array {
  return new Int32Array(data.buffer, data.byteOffset, data.length);
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
  measureContour([original, candidate]: readonly [Plane, Plane]): number {
    const { width, height, data: a } = original;
    const { data: b } = candidate;
    const [bitsA, bitsB] = [toIntegers(original), toIntegers(candidate)];
    const { isSmooth, all } = (this.smoothBlocks ??= this.findSmoothBlocks(original));
    const counts = new Uint32Array(BINS);
    // Everywhere else the step is 0.
    counts[0] = all;
    for (let y = 1; y < height - 1; y++) {
      for (let at = y * width + 1, end = at + width - 2; at < end; at++) {
        if (isSmooth[at] === 0 || areSame(bitsA, bitsB, at, width)) continue;
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
    }
    const isolated = Math.max(this.blocks.few, all * this.blocks.rare);
    let bin = BINS - 1;
    for (let above = counts[bin]; bin > 0 && above <= isolated; above += counts[bin]) bin--;
    return bin * BIN;
  }

  /** Marks the blocks that measureContour reads: the smooth ones and the four beside each. */
  usedBlocks(original: Plane): Uint8Array {
    const { width } = original;
    const { isSmooth } = (this.smoothBlocks ??= this.findSmoothBlocks(original));
    const isUsed = new Uint8Array(isSmooth.length);
    for (let at = width; at < isSmooth.length - width; at++) {
      if (isSmooth[at] === 0) continue;
      isUsed[at] = isUsed[at - 1] = isUsed[at + 1] = isUsed[at - width] = isUsed[at + width] = 1;
    }
    return isUsed;
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

function areSame(a: Int32Array, b: Int32Array, at: number, width: number): boolean {
  const across = (a[at - 1] ^ b[at - 1]) | (a[at] ^ b[at]) | (a[at + 1] ^ b[at + 1]);
  return (across | (a[at - width] ^ b[at - width]) | (a[at + width] ^ b[at + width])) === 0;
}

/** A two-block step misses rings with a two-block period; a one-block step finds them. */
function stepAlong(before: number, here: number, after: number): number {
  const [wide, narrow] = [Math.abs(after - before), Math.abs(after - here)];
  return wide > narrow ? wide : narrow;
}
