/** Improves a quantiser's palette by Lloyd's method with swaps. Kept colours stay. */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { offBlack, onBlack, squaredDifference } from './ground-difference';
import type { IndexedImage } from './indexed-image';
import { NearestColours } from './nearest-colours';
import { capsOfRow, type SmoothAreas } from '../smooth-areas';

const OPAQUE = 255;

/** The colours of an image; where there are too many, similar ones count as one. */
export interface Histogram {
  /** In the form of onBlack. */
  readonly colours: Float32Array;
  /** The index of each pixel's colour. */
  readonly ids: Uint16Array;
  /** Pixels of each colour by the cap of their area (see smooth-areas.ts), 0 for areas that are not smooth. */
  readonly counts: Uint32Array;
  readonly isMerged: boolean;
}

/** Each is compared with a palette many times. */
const MOST_COLOURS = 20_000;
const CAPS = 4;
/** The bits that tell colours apart, tried in turn: all; then without the lowest one or two of red, green and blue. */
const ALL = 0xffffffff | 0;
const MASKS = [ALL, 0xfffefefe | 0, 0xfffcfcfc | 0];

/** Returns undefined if there are too many colours. */
export function countColours(image: Pixels, areas: SmoothAreas, kept: KeptColours): Histogram | undefined {
  for (const mask of MASKS) {
    const histogram = histogramBy(mask, image, areas, kept);
    if (histogram) return histogram;
  }
  return undefined;
}

function histogramBy(
  mask: number,
  { width, height, data }: Pixels,
  areas: SmoothAreas,
  kept: KeptColours,
): Histogram | undefined {
  const words = pixelWords(data);
  const numbers = new Map<number, number>();
  const ids = new Uint16Array(words.length);
  const counts = new Uint32Array(MOST_COLOURS * CAPS);
  const sums = new Float64Array(MOST_COLOURS * 4);
  const caps = new Uint8Array(width);
  let [word, id] = [-1, -1];
  for (let y = 0, at = 0; y < height; y++) {
    capsOfRow(areas, y, caps);
    for (let x = 0; x < width; x++, at++) {
      const from = at * 4;
      if (words[at] !== word) {
        word = words[at];
        // Kept colours stay apart from similar ones.
        const key = data[from + 3] === 0 ? 0 : kept.exact.has(word) ? word + 2 ** 32 : word & mask;
        const known = numbers.get(key);
        if (known === undefined && numbers.size === MOST_COLOURS) return undefined;
        id = known ?? numbers.size;
        if (known === undefined) numbers.set(key, id);
      }
      ids[at] = id;
      counts[id * CAPS + (caps[x] < CAPS ? caps[x] : 0)]++;
      if (data[from + 3] > 0) for (let c = 0; c < 4; c++) sums[id * 4 + c] += data[from + c];
    }
  }
  const colours = new Float32Array(numbers.size * 4);
  for (let i = 0; i < numbers.size; i++) {
    let count = 0;
    for (let cap = 0; cap < CAPS; cap++) count += counts[i * CAPS + cap];
    const alpha = sums[i * 4 + 3] / count;
    for (let c = 0; c < 3; c++) colours[i * 4 + c] = (sums[i * 4 + c] / count / OPAQUE) * alpha;
    colours[i * 4 + 3] = alpha;
  }
  return { colours, ids, counts, isMerged: mask !== ALL };
}

const ROUNDS = 8;
const CALM_ROUNDS = 2;
const MOST_SWAPS = 16;
/** Saved loss ÷ cost. */
const WORTHWHILE = 2;

interface Choice {
  readonly index: Uint8Array;
  /** Weighted differences to the nearest and to the second nearest palette colour. */
  readonly least: Float64Array;
  readonly second: Float64Array;
}

interface Weighted {
  readonly colours: Float32Array;
  readonly weights: Float64Array;
}

/**
 * @param image with exact colours: see exact-colours.ts
 * @param byCap weights of pixels by the cap of their area
 */
export function withRefinedPalette(
  image: IndexedImage,
  { colours, ids, counts }: Histogram,
  kept: KeptColours,
  byCap: readonly number[],
): IndexedImage {
  const weights = Float64Array.from({ length: colours.length / 4 }, (_, i) =>
    byCap.reduce((sum, weight, cap) => sum + weight * counts[i * CAPS + cap], 0),
  );
  const weighted = { colours, weights };
  const palette = onBlack(image.palette);
  const words = pixelWords(image.palette);
  const isFixed = Array.from(words, (word, e) => palette[e * 4 + 3] === 0 || kept.exact.has(word));
  for (let round = 0; round < ROUNDS; round++) {
    const choice = choose(weighted, palette);
    moveToMeans(weighted, choice, palette, isFixed);
    if (round < ROUNDS - CALM_ROUNDS) swap(weighted, choice, palette, isFixed);
  }
  const { index } = choose(weighted, palette);
  const rows = new Uint8Array(image.rows.length);
  const used = [...new Set(index)].sort((a, b) => a - b);
  const places = Uint8Array.from({ length: isFixed.length }, (_, e) => Math.max(0, used.indexOf(e)));
  for (let y = 0, at = 0, to = 0; y < image.height; y++) {
    to++;
    for (let x = 0; x < image.width; x++) rows[to++] = places[index[ids[at++]]];
  }
  const rounded = offBlack(palette);
  const refined = used.flatMap((e) => [...(isFixed[e] ? image.palette : rounded).subarray(e * 4, e * 4 + 4)]);
  return { ...image, palette: Uint8Array.from(refined), rows };
}

/** Finds the two nearest palette colours that suit the alpha of each colour. */
function choose({ colours, weights }: Weighted, palette: Float32Array): Choice {
  const count = weights.length;
  const choice = {
    index: new Uint8Array(count),
    least: new Float64Array(count),
    second: new Float64Array(count),
  };
  const search = new NearestColours(palette);
  for (let i = 0, at = 0; i < count; i++, at += 4) {
    search.find(colours, at, colours[at + 3]);
    choice.index[i] = search.nearest;
    choice.least[i] = search.least * weights[i];
    choice.second[i] = search.second * weights[i];
  }
  return choice;
}

function moveToMeans(
  { colours, weights }: Weighted,
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
  { colours }: Weighted,
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
