/**
 * Adds rare colours that a quantiser has dropped, such as the colour of a marker on a map or of a tongue in fur, if the palette has
 * room. A quantiser counts pixels; people look for the marker.
 */
import type { Dimensions } from '../dimensions';
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { areaOf, type ChangedArea } from '../score/small-areas';
import { onBlack, readOnBlack, squaredDifference } from './ground-difference';
import { colourCount, MAX_COLOURS, type IndexedImage } from './indexed-image';
import { MergedPalettes } from './merged-palettes';
import { NearestColours } from './nearest-colours';

/** As in the guard. */
const BLOCK_PX = 4;
/** The mean of a block has shifted by more than 20 of 255: see squaredDifference. */
const LOST = 14 * 20 ** 2;
/** Differ by at most 24 of 255; one of them is added per round. */
const ALIKE = 14 * 24 ** 2;
/** An image with more changed areas needs more colours everywhere: of 191 photos and graphics, at most 208 areas lost their tint. */
const MOST_AREAS = 500;
/** Colours that are added to an area differ by more than 12 of 255. */
const SHADES = 14 * 12 ** 2;
const ROUNDS = 3;
/** The same for changed areas, each of which a round may leave to the next. */
const AREA_ROUNDS = 6;
/** Share of the areas that a round may leave; if it leaves more, further rounds gain too little for their time. */
const MOST_LEFT = 0.95;
/** Per round, so that a palette is not filled with the shades of one gradient. */
const MOST_ADDED = 6;
const OPAQUE = 255;
const NOTHING = new Float32Array(4);

/** Returns the image with up to 18 more colours. @param source RGBA of the same size */
export function withRareColours(image: IndexedImage, source: Pixels, kept: KeptColours): IndexedImage {
  let result = image;
  for (let round = 0; round < ROUNDS; round++) {
    const room = Math.min(MOST_ADDED, MAX_COLOURS - colourCount(result));
    const lost = room > 0 ? lostColours(result, source, room) : [];
    if (lost.length === 0) break;
    result = withColours(lost, result, source, kept);
  }
  return result;
}

interface Areas {
  /** Those of the image that change too much, the worst first. */
  readonly changed: readonly ChangedArea[];
  /** Returns those of another image. */
  readonly find: (image: IndexedImage) => readonly ChangedArea[];
  readonly seen: Dimensions;
}

/** Returns the image with colours of the areas that change too much; in a full palette, they replace those that are missed least. */
export function withAreaColours(
  image: IndexedImage,
  source: Pixels,
  kept: KeptColours,
  { changed, find, seen }: Areas,
): IndexedImage {
  let result = image;
  let lost = changed;
  for (let round = 1; lost.length > 0 && lost.length <= MOST_AREAS; round++) {
    const areas = lost.slice(0, MOST_ADDED).map((area) => coloursOf(area, seen, result, source));
    // One of each area first.
    const words = Array.from({ length: MOST_ADDED }, (_, rank) =>
      areas.flatMap((shades) => shades[rank] ?? []),
    );
    const added = unlike(words.flat(), MOST_ADDED, SHADES);
    const fewer = withFewer(result, MAX_COLOURS - added.length, kept);
    const room = MAX_COLOURS - colourCount(fewer);
    if (room === 0) break;
    result = withColours(added.slice(0, room), fewer, source, kept);
    if (round === AREA_ROUNDS) break;
    const left = find(result);
    if (left.length > lost.length * MOST_LEFT) break;
    lost = left;
  }
  return result;
}

/** Returns the image with no more than `most` colours where that is possible: rare colours are merged into similar ones. */
function withFewer(image: IndexedImage, most: number, kept: KeptColours): IndexedImage {
  const { width, height, palette, rows } = image;
  const count = colourCount(image);
  if (count <= most) return image;
  const weights = new Float64Array(count);
  for (let at = 0; at < rows.length; at++) if (at % (width + 1) > 0) weights[rows[at]]++;
  const colours: Pixels = { width: count, height: 1, channels: 4, data: palette };
  const entries = [...weights.keys()];
  const merged = new MergedPalettes({ palette, entries }, { colours, weights }, kept, most);
  const fewer = merged.paletteOf(Math.max(most, merged.least));
  const search = new NearestColours(count);
  search.colours.set(onBlack(palette));
  search.find(onBlack(fewer));
  const indices = rows.map((index, at) => (at % (width + 1) === 0 ? 0 : search.nearest[index]));
  return { width, height, palette: fewer, rows: indices };
}

/** Returns the colours of an area that are furthest from those in the image, the furthest first. */
function coloursOf(area: ChangedArea, seen: Dimensions, { palette, rows }: IndexedImage, source: Pixels) {
  const { width, data } = source;
  const words = pixelWords(data);
  const colours = onBlack(palette);
  const drawn = new Float32Array(4);
  const { left, right, top, bottom } = areaOf(area, source, seen);
  const found: { readonly word: number; readonly by: number }[] = [];
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const pixel = row * width + column;
      readOnBlack(data, pixel * 4, drawn);
      const by = squaredDifference(drawn, 0, colours, rows[pixel + row + 1] * 4);
      found.push({ word: words[pixel], by });
    }
  return unlike(wordsOf(found), MOST_ADDED, SHADES);
}

/** Returns the colours of the pixels that differ most, in the blocks whose means have shifted most. */
function lostColours({ width, height, palette, rows }: IndexedImage, source: Pixels, most: number) {
  const words = pixelWords(source.data);
  const colours = onBlack(palette);
  const columns = Math.ceil(width / BLOCK_PX);
  const moves = new Float32Array(columns * Math.ceil(height / BLOCK_PX) * 4);
  const worst = new Float32Array(moves.length / 4);
  const worstWord = new Uint32Array(worst.length);
  const pixel = new Float32Array(4);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const index = rows[y * (width + 1) + 1 + x];
      const block = Math.floor(y / BLOCK_PX) * columns + Math.floor(x / BLOCK_PX);
      readOnBlack(source.data, at * 4, pixel);
      for (let c = 0; c < 4; c++) moves[block * 4 + c] += (pixel[c] - colours[index * 4 + c]) / BLOCK_PX ** 2;
      const difference = squaredDifference(pixel, 0, colours, index * 4);
      if (difference <= worst[block]) continue;
      worst[block] = difference;
      worstWord[block] = words[at];
    }
  }
  const moved = Array.from(worstWord, (word, block) => ({
    word,
    by: squaredDifference(moves, block * 4, NOTHING, 0),
  })).filter(({ by }) => by > LOST);
  return unlike(wordsOf(moved), most, ALIKE);
}

const wordsOf = (colours: readonly { readonly word: number; readonly by: number }[]) =>
  [...colours].sort((a, b) => b.by - a.by).map(({ word }) => word);

/** Returns the first colours that differ by more than `alike`. */
function unlike(words: readonly number[], most: number, alike: number) {
  const chosen: number[] = [];
  for (const word of words) {
    if (chosen.length === most) break;
    if (!chosen.some((other) => differenceOf(other, word) <= alike)) chosen.push(word);
  }
  return chosen;
}

function differenceOf(a: number, b: number) {
  const [first, second] = [a, b].map((word) => onBlack(new Uint8Array(Uint32Array.of(word).buffer)));
  return squaredDifference(first, 0, second, 0);
}

/** Adds the colours that are missing. A pixel takes the nearest one that suits its alpha, if that is nearer than its present colour. */
function withColours(
  words: readonly number[],
  image: IndexedImage,
  { width, data }: Pixels,
  kept: KeptColours,
): IndexedImage {
  const all = [...pixelWords(image.palette)];
  all.push(...words.filter((word) => !all.includes(word)));
  const entries = words.map((word) => all.indexOf(word));
  const palette = new Uint8Array(Uint32Array.from(all).buffer);
  const colours = onBlack(palette);
  // A pixel within half the way from its colour to every new one keeps it (the triangle inequality, squared).
  const near = Float64Array.from(
    all,
    (_, index) =>
      Math.min(...entries.map((entry) => squaredDifference(colours, index * 4, colours, entry * 4))) / 4,
  );
  const rows = Uint8Array.from(image.rows);
  const pixels = pixelWords(data);
  const pixel = new Float32Array(4);
  for (let at = 0, to = 0; at < pixels.length; at++, to++) {
    if (at % width === 0) to++;
    const present = rows[to];
    // Most pixels of drawings have their colour.
    if (all[present] === pixels[at] || data[at * 4 + 3] === 0) continue;
    readOnBlack(data, at * 4, pixel);
    let least = squaredDifference(pixel, 0, colours, present * 4);
    if (least <= near[present]) continue;
    for (const index of entries) {
      if (pixel[3] === OPAQUE && colours[index * 4 + 3] !== OPAQUE) continue;
      const difference = squaredDifference(pixel, 0, colours, index * 4);
      if (difference >= least) continue;
      least = difference;
      rows[to] = index;
    }
    // Last, because it takes longest.
    if (rows[to] !== present && kept.exact.has(pixels[at])) rows[to] = present;
  }
  return { ...image, palette, rows };
}
