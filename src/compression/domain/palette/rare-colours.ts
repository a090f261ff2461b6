/**
 * Adds rare colours that a quantiser has dropped, such as the colour of a marker on a map, if the palette has
 * room. A quantiser counts pixels; people look for the marker.
 */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { onBlack, readOnBlack, squaredDifference } from './ground-difference';
import { colourCount, MAX_COLOURS, type IndexedImage } from './indexed-image';

/** As in the guard. */
const BLOCK_PX = 4;
/** The mean of a block has shifted by more than 20 of 255: see squaredDifference. */
const LOST = 14 * 20 ** 2;
/** Differ by at most 24 of 255; one of them is added per round. */
const ALIKE = 14 * 24 ** 2;
const ROUNDS = 3;
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
  const lost: number[] = [];
  for (const { word } of moved.sort((a, b) => b.by - a.by)) {
    if (lost.length === most) break;
    if (!lost.some((other) => areAlike(other, word))) lost.push(word);
  }
  return lost;
}

function areAlike(a: number, b: number) {
  const [first, second] = [a, b].map((word) => onBlack(new Uint8Array(Uint32Array.of(word).buffer)));
  return squaredDifference(first, 0, second, 0) <= ALIKE;
}

/** Adds colours. A pixel takes the nearest one that suits its alpha, if that is nearer than its present colour. */
function withColours(
  words: readonly number[],
  image: IndexedImage,
  { width, data }: Pixels,
  kept: KeptColours,
): IndexedImage {
  const palette = Uint8Array.of(...image.palette, ...new Uint8Array(Uint32Array.from(words).buffer));
  const colours = onBlack(palette);
  const rows = Uint8Array.from(image.rows);
  const pixels = pixelWords(data);
  const pixel = new Float32Array(4);
  for (let at = 0, to = 0; at < pixels.length; at++, to++) {
    if (at % width === 0) to++;
    if (data[at * 4 + 3] === 0 || kept.exact.has(pixels[at])) continue;
    readOnBlack(data, at * 4, pixel);
    let least = squaredDifference(pixel, 0, colours, rows[to] * 4);
    for (let index = colourCount(image); index < palette.length / 4; index++) {
      if (pixel[3] === OPAQUE && colours[index * 4 + 3] !== OPAQUE) continue;
      const difference = squaredDifference(pixel, 0, colours, index * 4);
      if (difference >= least) continue;
      least = difference;
      rows[to] = index;
    }
  }
  return { ...image, palette, rows };
}
