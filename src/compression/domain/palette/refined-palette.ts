/**
 * Improves a quantiser's palette by Lloyd's method with swaps: colours move to the means of their pixels, and
 * those that are hardly missed move to where the differences are largest. Opaque pixels take opaque colours
 * only; kept colours stay.
 */
import type { KeptColours } from '../kept-colours';
import { pixelWords } from '../pixels';
import type { WeighedColours } from './colour-histogram';
import { offBlack, onBlack, squaredDifference } from './ground-difference';
import type { IndexedImage } from './indexed-image';
import { NearestColours } from './nearest-colours';

const OPAQUE = 255;
const ROUNDS = 6;
/** The last rounds, without swaps, so that moved colours settle. */
const CALM_ROUNDS = 2;
/** Per round. */
const MOST_SWAPS = 16;
/** Saved loss ÷ cost. */
const WORTHWHILE = 2;

/**
 * Returns the colours with a better palette.
 * @param unrefined with exact colours: see exact-colours.ts
 */
export function refinePalette(
  unrefined: Uint8Array,
  { colours, weights }: WeighedColours,
  kept: KeptColours,
): IndexedImage {
  const search = new NearestColours(weights.length);
  search.colours.set(onBlack(colours.data));
  const palette = onBlack(unrefined);
  const words = pixelWords(unrefined);
  const isFixed = Array.from(words, (word, e) => palette[e * 4 + 3] === 0 || kept.exact.has(word));
  for (let round = 0; round < ROUNDS; round++) {
    search.find(palette);
    moveToMeans(search, weights, palette, isFixed);
    if (round < ROUNDS - CALM_ROUNDS) swap(search, weights, palette, isFixed);
  }
  search.find(palette);
  const used = [...new Set(search.nearest)].sort((a, b) => a - b);
  const places = Uint8Array.from({ length: isFixed.length }, (_, e) => Math.max(0, used.indexOf(e)));
  const rounded = offBlack(palette);
  const refined = used.flatMap((e) => [...(isFixed[e] ? unrefined : rounded).subarray(e * 4, e * 4 + 4)]);
  const rows = new Uint8Array(weights.length + 1);
  search.nearest.forEach((e, i) => (rows[i + 1] = places[e]));
  return { palette: Uint8Array.from(refined), rows, width: weights.length, height: 1 };
}

/**
 * Moves each colour to the weighted mean of the colours that are nearest to it. Opaque stays opaque, and
 * visible stays visible.
 */
function moveToMeans(
  { colours, nearest }: NearestColours,
  weights: Float64Array,
  palette: Float32Array,
  isFixed: readonly boolean[],
) {
  const sums = new Float64Array((palette.length / 4) * 5);
  for (let i = 0; i < weights.length; i++) {
    const to = nearest[i] * 5;
    for (let c = 0; c < 4; c++) sums[to + c] += weights[i] * colours[i * 4 + c];
    sums[to + 4] += weights[i];
  }
  for (let e = 0; e < isFixed.length; e++) {
    const weight = sums[e * 5 + 4];
    if (isFixed[e] || weight === 0) continue;
    const isOpaque = palette[e * 4 + 3] === OPAQUE;
    for (let c = 0; c < 4; c++) palette[e * 4 + c] = sums[e * 5 + c] / weight;
    const alpha = Math.round(palette[e * 4 + 3]);
    palette[e * 4 + 3] = isOpaque ? OPAQUE : Math.max(1, Math.min(OPAQUE - 1, alpha));
  }
}

/** Moves palette colours whose pixels lose little with their second choice to the worst pixels of other palette colours. */
function swap(
  { colours, nearest, least, second }: NearestColours,
  weights: Float64Array,
  palette: Float32Array,
  isFixed: readonly boolean[],
) {
  const use = new Float64Array(isFixed.length);
  const loss = new Float64Array(isFixed.length);
  const worst = new Int32Array(isFixed.length).fill(-1);
  nearest.forEach((e, i) => {
    use[e] += weights[i] * (second[i] - least[i]);
    loss[e] += weights[i] * least[i];
    if (worst[e] < 0 || weights[i] * least[i] > weights[worst[e]] * least[worst[e]]) worst[e] = i;
  });
  const byLoss = [...loss.keys()].sort((a, b) => loss[b] - loss[a]);
  const byUse = [...use.keys()].filter((e) => !isFixed[e]).sort((a, b) => use[a] - use[b]);
  const touched = new Set<number>();
  for (const poor of byLoss.slice(0, MOST_SWAPS)) {
    const useless = byUse.find((e) => e !== poor && !touched.has(e));
    if (useless === undefined || loss[poor] < use[useless] * WORTHWHILE) return;
    // The affected pixels fall back to the nearest colours, so those stay.
    touched.add(useless).add(poor).add(nearestTo(useless, palette));
    const from = worst[poor] * 4;
    palette.set(colours.subarray(from, from + 4), useless * 4);
  }
}

/** Returns the palette colour that takes over when this one moves away. */
function nearestTo(colour: number, palette: Float32Array) {
  const isOpaque = palette[colour * 4 + 3] === OPAQUE;
  let [nearest, least] = [colour, Infinity];
  for (let e = 0; e < palette.length / 4; e++) {
    if (e === colour || (isOpaque && palette[e * 4 + 3] !== OPAQUE)) continue;
    const difference = squaredDifference(palette, colour * 4, palette, e * 4);
    if (difference < least) [nearest, least] = [e, difference];
  }
  return nearest;
}
