/**
 * The coarser JPEG coding that a picture has been through before it was last saved: an editor that saves at 95 what came
 * at 80 hides what 80 has lost, and its file would be let down once more. The blocks remember: their DCT coefficients
 * (ITU-T T.81 A.3.3) still lie near multiples of the old divisors, as long as the last ones were finer.
 */
import type { Pixels } from '../pixels';
import { BINS_PER_UNIT, countedCoefficients, type CountedValues } from './dct-coefficients';
import { OUR_DIVISORS, scaledTable, STANDARD_DIVISORS } from '../search/quantiser-table';
import { savedQuality, type SavedQuality } from './saved-quality';

/** Divisors are looked for up to here: coarser codings are seen without looking. */
const COARSEST = 40;
/** Old divisors are found when they were coarser than the last by this factor. */
const LEAST_RATIO = 1.3;
/** Coefficients, of half a divisor and more, that it takes to speak of a pattern; some at more than its first multiple. */
const FEWEST_VALUES = 24;
const FEWEST_FURTHER_VALUES = 8;
/** Different ones among them: drawn patterns repeat a few blocks, which say less than they are many. */
const FEWEST_DIFFERENT_VALUES = 8;
/** Share of the coherence that rounding leaves, below which there is no pattern. */
const LEAST_COHERENCE = 0.6;
/** Standard errors by which a coherence has to differ from none. */
const STANDARD_ERRORS = 3;
/** Divisors that have to be found, and how well they have to fit a table (mean difference of logarithms). */
const FEWEST_DIVISORS = 3;
const BEST_FIT = 0.1;
/** So many, all of them right, are no chance. */
const CERTAIN_DIVISORS = 6;

/**
 * How the picture was saved before, or undefined when nothing coarser shows.
 * @param pixels whole blocks of the file, or what turning or mirroring has made of them
 * @param lumaDivisors of the file, 64 in zigzag order
 * @param isTransposed rows have become columns
 */
export function formerQuality(
  pixels: Pixels,
  lumaDivisors: readonly number[],
  isTransposed = false,
): SavedQuality | undefined {
  const found = countedCoefficients(pixels, isTransposed).flatMap((counted, i) => {
    const divisor = formerDivisor(counted, lumaDivisors[i + 1]);
    return divisor ? [{ index: i + 1, divisor }] : [];
  });
  if (found.length < FEWEST_DIVISORS) return undefined;
  let best = { table: lumaDivisors, misfit: Infinity };
  for (const base of [OUR_DIVISORS, STANDARD_DIVISORS]) {
    for (let quality = 100; quality >= 1; quality--) {
      const table = scaledTable(base, quality);
      const misfits = found.map(({ index, divisor }) => Math.abs(Math.log(table[index] / divisor)));
      const misfit = misfits.reduce((a, b) => a + b, 0) / found.length;
      if (misfit < best.misfit) best = { table, misfit };
    }
  }
  if (best.misfit > BEST_FIT) return undefined;
  const { quality, isOurTable } = savedQuality(best.table);
  return { quality, isOurTable: isOurTable && best.misfit === 0 && found.length >= CERTAIN_DIVISORS };
}

/** The greatest divisor, coarser than the last one, of which the coefficients are multiples. */
function formerDivisor(all: CountedValues, last: number): number | undefined {
  let best: { readonly divisor: number; readonly coherence: number } | undefined;
  for (let divisor = COARSEST; divisor > last * LEAST_RATIO; divisor--) {
    // What is coherent with a divisor is so with its fractions too.
    if (best && divisor < best.divisor * 0.75) break;
    const { values, further, different, coherence } = coherenceWith(divisor, all);
    const least = Math.max(
      LEAST_COHERENCE * coherenceAfterRounding(divisor, last),
      STANDARD_ERRORS / Math.sqrt(2 * values),
    );
    if (values < FEWEST_VALUES || further < FEWEST_FURTHER_VALUES) continue;
    if (different < FEWEST_DIFFERENT_VALUES) continue;
    if (coherence > (best?.coherence ?? least)) best = { divisor, coherence };
  }
  return best?.divisor;
}

/** Mean cosine of the phase of the values from half a divisor on: 1 for exact multiples, 0 for what knows nothing of it. */
function coherenceWith(divisor: number, { bins, counts }: CountedValues) {
  const cosineOf = phaseCosines(divisor);
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

/** The cosine for every value from 0 to the divisor, where it begins again. */
function phaseCosines(divisor: number): Float64Array {
  const period = divisor * BINS_PER_UNIT;
  const known = knownCosines.get(divisor);
  if (known) return known;
  const cosines = Float64Array.from({ length: period }, (_, bin) => Math.cos((2 * Math.PI * bin) / period));
  knownCosines.set(divisor, cosines);
  return cosines;
}

/** Of exact multiples, once they have been rounded to samples and to multiples of a finer divisor. */
function coherenceAfterRounding(divisor: number, last: number): number {
  const variance = (1 + last * last) / 12;
  return Math.exp((-2 * Math.PI ** 2 * variance) / divisor ** 2);
}
