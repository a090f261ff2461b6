/**
 * Detects an earlier, coarser JPEG coding. An image saved at quality 80 and then at 95 declares 95 but has the loss of 80, and
 * another lossy encode would add to it. The DCT coefficients (ITU-T T.81 A.3.3) show the earlier coding: they stay close to
 * multiples of its quantization steps if the steps of the last coding are finer.
 */
import type { Pixels } from '../pixels';
import { BINS_PER_UNIT, countedCoefficients, type CountedValues } from './dct-blocks';
import type { EncoderQuality, TableFamily } from './quantization-tables';

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
 * Returns the coding before the last one; undefined if no coarser one is detected.
 * @param pixels complete blocks of the file, upright; may be mirrored
 * @param lumaSteps the 64 luma steps of the file, in zigzag order
 * @param families the encoders to consider
 * @param isTransposed whether the orientation has swapped rows and columns, and with them the frequencies
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
function formerStep(all: CountedValues, last: number) {
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
  const cosineAt = phaseCosines(step);
  const period = cosineAt.length;
  let values = 0;
  let further = 0;
  let cosines = 0;
  let first = 0;
  while (first < bins.length && bins[first] < period / 2) first++;
  for (let i = first; i < bins.length; i++) {
    const count = counts[i];
    values += count;
    if (bins[i] > period * 1.5) further += count;
    cosines += count * cosineAt[bins[i] % period];
  }
  return { values, further, different: bins.length - first, coherence: cosines / values };
}

const knownCosines = new Map<number, Float64Array>();

/** Returns one period of the cosine: its values from 0 to the step. */
function phaseCosines(step: number) {
  const period = step * BINS_PER_UNIT;
  const known = knownCosines.get(step);
  if (known) return known;
  const cosines = Float64Array.from({ length: period }, (_, bin) => Math.cos((2 * Math.PI * bin) / period));
  knownCosines.set(step, cosines);
  return cosines;
}

/** Returns the coherence that exact multiples keep after rounding to samples and to multiples of the last step. */
function coherenceAfterRounding(step: number, last: number) {
  const variance = (1 + last * last) / 12;
  return Math.exp((-2 * Math.PI ** 2 * variance) / step ** 2);
}
