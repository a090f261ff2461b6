/**
 * Detects an earlier, coarser JPEG coding. An image saved at quality 80 and then at 95 declares 95 but has the loss of 80, and
 * another lossy encode would add to it. The DCT coefficients (ITU-T T.81 A.3.3) show the earlier coding: they stay close to
 * multiples of its quantization steps if the steps of the last coding are finer. Also locates the blocks of the last coding.
 */
import type { Dimensions, Orientation, Position } from '../dimensions';
import { type Pixels, luma } from '../pixels';
import type { EncoderQuality, TableFamily } from './quantization-tables';

const BLOCK = 8;
/** Horizontal and vertical frequencies of the first coefficients in zigzag order, without DC. */
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

/** Bins per unit of absolute value. */
const BINS_PER_UNIT = 8;
const BINS = 1024 * BINS_PER_UNIT;

/** A histogram without its empty bins. */
interface CountedValues {
  readonly bins: Uint16Array;
  readonly counts: Uint32Array;
}

/**
 * Returns a histogram of absolute values for each of the first coefficients in zigzag order, without DC.
 * @param isTransposed whether rotation has swapped rows and columns
 */
function countedCoefficients(pixels: Pixels, isTransposed: boolean): CountedValues[] {
  return histograms(pixels, isTransposed).map(valuesOf);
}

// Reused for every image: arrays of this size burden the garbage collector.
const filledBins = new Uint16Array(BINS);
const filledCounts = new Uint32Array(BINS);
const histogramOf = FREQUENCIES.map(() => new Uint32Array(BINS));

function valuesOf(histogram: Uint32Array): CountedValues {
  let filled = 0;
  for (let bin = 0; bin < BINS; bin++) {
    if (histogram[bin] === 0) continue;
    filledBins[filled] = bin;
    filledCounts[filled++] = histogram[bin];
  }
  return { bins: filledBins.slice(0, filled), counts: filledCounts.slice(0, filled) };
}

/** Returns the histograms with their empty bins. */
function histograms({ width, height, channels, data }: Pixels, isTransposed: boolean): Uint32Array[] {
  const counts = histogramOf.map((histogram) => histogram.fill(0));
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

function transformRows(block: Float64Array, rows: Float64Array): void {
  for (let u = 0; u <= HIGHEST; u++) {
    for (let y = 0; y < BLOCK; y++) rows[u * BLOCK + y] = product(block, y * BLOCK, COSINES[u]);
  }
}

/** Returns the dot product of eight values, from a position on, and eight cosines. */
function product(values: Float64Array, from: number, cosines: Float64Array): number {
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

/** Largest quantization step to look for; coarser codings have visible artifacts anyway. */
const MAX_STEP = 40;
/** Smallest ratio of an earlier step to the last one at which the earlier step is detectable. */
const MIN_RATIO = 1.3;
/** A detection needs this many coefficients of at least half a step, and this many beyond the first multiple. */
const MIN_VALUES = 24;
const MIN_FURTHER_VALUES = 8;
/** Distinct values among them: drawings repeat the same few blocks. */
const MIN_DISTINCT_VALUES = 8;
/** Lowest coherence, as a share of the coherence that rounding leaves. */
const MIN_COHERENCE = 0.6;
/** Lowest significance of a coherence, in standard errors. */
const STANDARD_ERRORS = 3;
/** A detection needs this many steps, and at most this mean difference of their logarithms to those of a table. */
const MIN_STEPS = 3;
const MAX_MISFIT = 0.1;

/**
 * Returns the coding of the image before it was last saved; undefined if no coarser coding is detected.
 * @param pixels complete blocks of the file, possibly rotated or mirrored
 * @param lumaSteps the 64 luma quantization steps of the file in zigzag order
 * @param families the encoders to consider
 * @param isTransposed whether rotation has swapped rows and columns
 */
export function detectFormerCoding(
  pixels: Pixels,
  lumaSteps: readonly number[],
  families: readonly TableFamily[],
  isTransposed = false,
): EncoderQuality | undefined {
  const found = countedCoefficients(pixels, isTransposed).flatMap((counted, i) => {
    const step = formerStep(counted, lumaSteps[i + 1]);
    return step ? [{ index: i + 1, step }] : [];
  });
  if (found.length < MIN_STEPS) return undefined;
  let best: (EncoderQuality & { readonly misfit: number }) | undefined;
  for (const { name, stepsAt } of families) {
    for (let quality = 100; quality >= 1; quality--) {
      const steps = stepsAt(quality);
      const misfits = found.map(({ index, step }) => Math.abs(Math.log(steps[index] / step)));
      const misfit = misfits.reduce((a, b) => a + b, 0) / found.length;
      if (misfit < (best?.misfit ?? MAX_MISFIT)) best = { family: name, quality, misfit };
    }
  }
  return best && { family: best.family, quality: best.quality };
}

/** Returns the largest step, above the last one, whose multiples the coefficients are. */
function formerStep(all: CountedValues, last: number): number | undefined {
  let best: { readonly step: number; readonly coherence: number } | undefined;
  for (let step = MAX_STEP; step > last * MIN_RATIO; step--) {
    // Values that are multiples of a step are also multiples of its fractions.
    if (best && step < best.step * 0.75) break;
    const { values, further, different, coherence } = coherenceWith(step, all);
    const threshold = Math.max(
      MIN_COHERENCE * coherenceAfterRounding(step, last),
      STANDARD_ERRORS / Math.sqrt(2 * values),
    );
    if (values < MIN_VALUES || further < MIN_FURTHER_VALUES) continue;
    if (different < MIN_DISTINCT_VALUES) continue;
    if (coherence > (best?.coherence ?? threshold)) best = { step, coherence };
  }
  return best?.step;
}

/** Returns the mean cosine of the phase of values of at least half a step: 1 for exact multiples, 0 for unrelated values. */
function coherenceWith(step: number, { bins, counts }: CountedValues) {
  const cosineOf = phaseCosines(step);
  const period = cosineOf.length;
  let values = 0;
  let further = 0;
  let cosines = 0;
  let first = 0;
  while (first < bins.length && bins[first] < period / 2) first++;
  for (let i = first; i < bins.length; i++) {
    const count = counts[i];
    values += count;
    if (bins[i] > period * 1.5) further += count;
    cosines += count * cosineOf[bins[i] % period];
  }
  return { values, further, different: bins.length - first, coherence: cosines / values };
}

const knownCosines = new Map<number, Float64Array>();

/** Returns one period of the cosine: its values from 0 to the step. */
function phaseCosines(step: number): Float64Array {
  const period = step * BINS_PER_UNIT;
  const known = knownCosines.get(step);
  if (known) return known;
  const cosines = Float64Array.from({ length: period }, (_, bin) => Math.cos((2 * Math.PI * bin) / period));
  knownCosines.set(step, cosines);
  return cosines;
}

/** Returns the coherence of exact multiples after rounding to samples and to multiples of a finer step. */
function coherenceAfterRounding(step: number, last: number): number {
  const variance = (1 + last * last) / 12;
  return Math.exp((-2 * Math.PI ** 2 * variance) / step ** 2);
}

const MIRRORED_ACROSS: readonly Orientation[] = [2, 3, 6, 7];
const MIRRORED_DOWN: readonly Orientation[] = [3, 4, 7, 8];

/**
 * Returns the first corner of the grid of the 8×8 blocks of a JPEG after its orientation is applied. If a mirrored side is not a
 * multiple of 8, its partial blocks come first.
 */
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
