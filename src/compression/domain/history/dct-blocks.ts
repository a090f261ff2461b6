/**
 * The 8×8 blocks of an upright JPEG, and their DCT coefficients of luma on the scale of ITU-T T.81 A.3.3, in
 * which a coefficient is a multiple of its quantization step. The level shift is left out: it changes DC
 * only, which is not read.
 */
import type { Dimensions, Orientation, Position } from '../dimensions';
import { luma, type Pixels } from '../pixels';

const BLOCK = 8;
const MIRRORED_ACROSS: readonly Orientation[] = [2, 3, 6, 7];
const MIRRORED_DOWN: readonly Orientation[] = [3, 4, 7, 8];

/** Returns the first corner of the block grid of an upright image; on a mirrored side, partial blocks come first. */
export function blockOrigin(upright: Dimensions, orientation: Orientation): Position {
  return {
    left: MIRRORED_ACROSS.includes(orientation) ? upright.width % BLOCK : 0,
    top: MIRRORED_DOWN.includes(orientation) ? upright.height % BLOCK : 0,
  };
}

/** Returns the position half a block away, which is farthest from the grid. */
export function offGridOrigin({ left, top }: Position): Position {
  return { left: (left + BLOCK / 2) % BLOCK, top: (top + BLOCK / 2) % BLOCK };
}

/**
 * Horizontal and vertical frequency of the first 14 coefficients after DC, in zigzag order (ITU-T T.81,
 * figure A.6). Photos have nearly all of their energy there.
 */
const FREQUENCIES = [
  [1, 0],
  [0, 1],
  [0, 2],
  [1, 1],
  [2, 0],
  [3, 0],
  [2, 1],
  [1, 2],
  [0, 3],
  [0, 4],
  [1, 3],
  [2, 2],
  [3, 1],
  [4, 0],
] as const;
const HIGHEST = 4;
const COSINES = Array.from({ length: HIGHEST + 1 }, (_, frequency) =>
  Float64Array.from(
    { length: BLOCK },
    (_, at) =>
      (Math.cos(((2 * at + 1) * frequency * Math.PI) / (2 * BLOCK)) * (frequency === 0 ? Math.SQRT1_2 : 1)) /
      2,
  ),
);

/** Bins per unit of the T.81 scale. Steps are whole units, so their multiples fall on bins. */
export const BINS_PER_UNIT = 8;
/** The largest absolute coefficient of 8-bit samples is 1024. */
const BINS = 1024 * BINS_PER_UNIT;

/** A histogram of absolute values without its empty bins: `counts[i]` values lie in bin `bins[i]`. */
export interface CountedValues {
  readonly bins: Uint16Array;
  readonly counts: Uint32Array;
}

/** Returns a histogram of absolute values for each of the first coefficients in zigzag order, without DC. */
export function countedCoefficients(pixels: Pixels, isTransposed: boolean): CountedValues[] {
  return histograms(pixels, isTransposed).map(listValues);
}

// Reused for every image: arrays of this size burden the garbage collector.
const filledBins = new Uint16Array(BINS);
const filledCounts = new Uint32Array(BINS);
const histogramByFrequency = FREQUENCIES.map(() => new Uint32Array(BINS));

function listValues(histogram: Uint32Array): CountedValues {
  let filled = 0;
  for (let bin = 0; bin < BINS; bin++) {
    if (histogram[bin] === 0) continue;
    filledBins[filled] = bin;
    filledCounts[filled++] = histogram[bin];
  }
  return { bins: filledBins.slice(0, filled), counts: filledCounts.slice(0, filled) };
}

function histograms({ width, height, channels, data }: Pixels, isTransposed: boolean): Uint32Array[] {
  const counts = histogramByFrequency.map((histogram) => histogram.fill(0));
  const across = FREQUENCIES.map(([u, v]) => (isTransposed ? v : u) * BLOCK);
  const down = FREQUENCIES.map(([u, v]) => COSINES[isTransposed ? u : v]);
  const block = new Float64Array(BLOCK * BLOCK);
  const rows = new Float64Array((HIGHEST + 1) * BLOCK);
  for (let top = 0; top + BLOCK <= height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      for (let i = 0; i < block.length; i++) {
        const p = ((top + (i >> 3)) * width + left + (i & 7)) * channels;
        block[i] = channels < 3 ? data[p] : luma(data[p], data[p + 1], data[p + 2]);
      }
      transformRows(block, rows);
      for (let k = 0; k < counts.length; k++) {
        const value = Math.abs(product(rows, across[k], down[k]));
        counts[k][Math.min(BINS - 1, Math.round(value * BINS_PER_UNIT))]++;
      }
    }
  }
  return counts;
}

function transformRows(block: Float64Array, rows: Float64Array) {
  for (let u = 0; u <= HIGHEST; u++) {
    for (let y = 0; y < BLOCK; y++) rows[u * BLOCK + y] = product(block, y * BLOCK, COSINES[u]);
  }
}

function product(values: Float64Array, from: number, cosines: Float64Array) {
  return (
    values[from] * cosines[0] +
    values[from + 1] * cosines[1] +
    values[from + 2] * cosines[2] +
    values[from + 3] * cosines[3] +
    values[from + 4] * cosines[4] +
    values[from + 5] * cosines[5] +
    values[from + 6] * cosines[6] +
    values[from + 7] * cosines[7]
  );
}
