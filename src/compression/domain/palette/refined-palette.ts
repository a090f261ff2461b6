/** Improves a quantiser's palette by Lloyd's method with swaps. Kept colours stay. */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { offBlack, onBlack, squaredDifference } from './ground-difference';
import type { IndexedImage } from './indexed-image';
import type { SmoothAreas } from '../smooth-areas';

const BLOCK_PX = 8;

export interface Histogram {
  /** Each colour once, in the form of onBlack. */
  readonly colours: Float32Array;
  readonly weights: Float64Array;
  /** The index of each pixel's colour. */
  readonly ids: Uint16Array;
}

/** Largest number of colours; each is compared with a palette many times. */
const MOST_COLOURS = 20_000;

/** @param weights of pixels in smooth areas, by their cap (see smooth-areas.ts); all others weigh 1 */
export function histogramOf(
  { width, data }: Pixels,
  areas: SmoothAreas,
  weights: readonly number[],
): Histogram | undefined {
  const words = pixelWords(data);
  const numbers = new Map<number, number>();
  const sums: number[] = [];
  const ids = new Uint16Array(words.length);
  for (let at = 0; at < words.length; at++) {
    const word = data[at * 4 + 3] === 0 ? 0 : words[at];
    let id = numbers.get(word);
    if (id === undefined) {
      if (sums.length === MOST_COLOURS) return undefined;
      id = sums.push(0) - 1;
      numbers.set(word, id);
    }
    const row = Math.floor(at / width);
    const block = Math.floor(row / BLOCK_PX) * areas.blocksPerRow + Math.floor((at - row * width) / BLOCK_PX);
    sums[id] += weights[areas.caps[block]] ?? 1;
    ids[at] = id;
  }
  const rgba = new Uint8Array(Uint32Array.from(numbers.keys()).buffer);
  return { colours: onBlack(rgba), weights: Float64Array.from(sums), ids };
}

const ROUNDS = 8;
const CALM_ROUNDS = 2;
const MOST_SWAPS = 16;
/** Saved loss ÷ cost. */
const WORTHWHILE = 2;
const OPAQUE = 255;
const FAR = 1e9;

interface Choice {
  readonly index: Uint8Array;
  /** Weighted differences to the nearest and to the second nearest palette colour. */
  readonly least: Float64Array;
  readonly second: Float64Array;
}

/** @param image with exact colours: see exact-colours.ts */
export function withRefinedPalette(
  image: IndexedImage,
  histogram: Histogram,
  kept: KeptColours,
): IndexedImage {
  const palette = onBlack(image.palette);
  const words = pixelWords(image.palette);
  const isFixed = Array.from(words, (word, e) => palette[e * 4 + 3] === 0 || kept.exact.has(word));
  for (let round = 0; round < ROUNDS; round++) {
    const choice = choose(histogram, palette);
    moveToMeans(histogram, choice, palette, isFixed);
    if (round < ROUNDS - CALM_ROUNDS) swap(histogram, choice, palette, isFixed);
  }
  const { index } = choose(histogram, palette);
  const rows = new Uint8Array(image.rows.length);
  const used = [...new Set(index)].sort((a, b) => a - b);
  const places = Uint8Array.from({ length: isFixed.length }, (_, e) => Math.max(0, used.indexOf(e)));
  for (let y = 0, at = 0, to = 0; y < image.height; y++) {
    to++;
    for (let x = 0; x < image.width; x++) rows[to++] = places[index[histogram.ids[at++]]];
  }
  const rounded = offBlack(palette);
  const colours = used.flatMap((e) => [...(isFixed[e] ? image.palette : rounded).subarray(e * 4, e * 4 + 4)]);
  return { ...image, palette: Uint8Array.from(colours), rows };
}

/** Finds the two nearest palette colours that suit the alpha of each colour. */
function choose({ colours, weights }: Histogram, palette: Float32Array): Choice {
  const count = weights.length;
  const choice = {
    index: new Uint8Array(count),
    least: new Float64Array(count),
    second: new Float64Array(count),
  };
  for (let i = 0, at = 0; i < count; i++, at += 4) {
    const alpha = colours[at + 3];
    let best = 0;
    let least = FAR;
    let second = FAR;
    for (let p = 0; p < palette.length; p += 4) {
      const other = palette[p + 3];
      if (other !== alpha && (alpha === OPAQUE || alpha === 0 || other === 0)) continue;
      const difference = squaredDifference(colours, at, palette, p);
      if (difference >= second) continue;
      if (difference < least) {
        best = p;
        second = least;
        least = difference;
      } else {
        second = difference;
      }
    }
    choice.index[i] = best / 4;
    choice.least[i] = least * weights[i];
    choice.second[i] = second * weights[i];
  }
  return choice;
}

function moveToMeans(
  { colours, weights }: Histogram,
  { index }: Choice,
  palette: Float32Array,
  isFixed: readonly boolean[],
): void {
  const sums = new Float64Array((palette.length / 4) * 5);
  for (let i = 0; i < weights.length; i++) {
    const to = index[i] * 5;
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
  { colours }: Histogram,
  { index, least, second }: Choice,
  palette: Float32Array,
  isFixed: readonly boolean[],
): void {
  const use = new Float64Array(isFixed.length);
  const loss = new Float64Array(isFixed.length);
  const worst = new Int32Array(isFixed.length).fill(-1);
  index.forEach((e, i) => {
    use[e] += second[i] - least[i];
    loss[e] += least[i];
    if (worst[e] < 0 || least[i] > least[worst[e]]) worst[e] = i;
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

function nearestTo(colour: number, palette: Float32Array): number {
  const isOpaque = palette[colour * 4 + 3] === OPAQUE;
  let [nearest, least] = [colour, Infinity];
  for (let e = 0; e < palette.length / 4; e++) {
    if (e === colour || (isOpaque && palette[e * 4 + 3] !== OPAQUE)) continue;
    const difference = squaredDifference(palette, colour * 4, palette, e * 4);
    if (difference < least) [nearest, least] = [e, difference];
  }
  return nearest;
}
