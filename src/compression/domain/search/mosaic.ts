/**
 * A small stand-in for a large image: up to 64 tiles of 64×64 px from all over it, put together. What a
 * quality setting does to the tiles predicts what it does to the image, and its cost does not grow with the image.
 */
import type { Dimensions, Position } from '../dimensions';
import { crop, type Pixels } from '../pixels';

const TILE_PX = 64;
/**
 * Tiles: one for every 32 768 px (an eighth of the picture), at least 16 and at most 64. What the whole loses then lies
 * within 8 % (standard deviation) of what 16 tiles lose, and 3 % of what 64 do; MosaicReference says what to expect.
 */
const FEWEST_TILES = 16;
const MAX_TILES = 64;
const PIXELS_PER_TILE = 32_768;
/** Tiles begin on multiples of 16 px, where the blocks of a 4:2:0 JPEG begin: both are coded the same way. */
const ALIGNMENT_PX = 16;
/** An image of up to twice the smallest mosaic is its own sample: a mosaic would save next to nothing. */
const WHOLE_IMAGE_PIXELS = 2 * FEWEST_TILES * TILE_PX * TILE_PX;

export interface Mosaic {
  readonly pixels: Pixels;
  /** What the pixels are made up of, row by row; as large as they are when they are one piece of the image. */
  readonly tile: Dimensions;
  /** How much of the picture it holds, 0..1. */
  readonly share: number;
}

/**
 * The mosaic of an image, or all of it when it is small.
 *
 * Across the blocks that a source JPEG was coded in (see offGridOrigin), the tiles show what a quality does to the
 * picture. Along them, coding once more at their own quality loses almost nothing, which says nothing about the picture:
 * a search there drifts downwards with every pass (82, 69, 51, ...). Across the blocks the same picture loses the
 * same, however often it has been saved.
 *
 * The place of each tile inside its cell is drawn from a fixed sequence: the same image gives the same mosaic, and
 * regular patterns are not met in step.
 * @param from where the grid of the tiles begins; what lies left of it and above is left out
 */
export function mosaicOf(pixels: Pixels, from: Position = { left: 0, top: 0 }): Mosaic {
  const { channels } = pixels;
  const [width, height] = [pixels.width - from.left, pixels.height - from.top];
  if (width < 1 || height < 1) return { pixels, tile: pixels, share: 1 };
  const shareOf = (part: Pixels) => (part.width * part.height) / (pixels.width * pixels.height);
  if (width * height <= WHOLE_IMAGE_PIXELS) {
    const rest = from.left + from.top === 0 ? pixels : crop(pixels, from, { width, height });
    return { pixels: rest, tile: rest, share: shareOf(rest) };
  }
  const tile = { width: Math.min(TILE_PX, width), height: Math.min(TILE_PX, height) };
  const tiles = clamp(Math.round((width * height) / PIXELS_PER_TILE), FEWEST_TILES, MAX_TILES);
  // As many columns to rows as the image is wide to tall, and no more of either than there is room for.
  const rows = clamp(Math.round(Math.sqrt((tiles * height) / width)), 1, Math.floor(height / tile.height));
  const columns = clamp(Math.floor(tiles / rows), 1, Math.floor(width / tile.width));
  const mosaicWidth = columns * tile.width;
  const data = new Uint8Array(mosaicWidth * rows * tile.height * channels);
  const next = fixedSequence();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const left = from.left + tileStart(column, columns, width, next());
      const top = from.top + tileStart(row, rows, height, next());
      for (let y = 0; y < tile.height; y++) {
        const start = ((top + y) * pixels.width + left) * channels;
        const to = ((row * tile.height + y) * mosaicWidth + column * tile.width) * channels;
        data.set(pixels.data.subarray(start, start + tile.width * channels), to);
      }
    }
  }
  const mosaic = { width: mosaicWidth, height: rows * tile.height, channels, data };
  return { pixels: mosaic, tile, share: shareOf(mosaic) };
}

function clamp(count: number, least: number, most: number): number {
  return Math.max(least, Math.min(count, most));
}

/** Start of a tile inside its cell; `place` from 0 to 1. */
function tileStart(index: number, count: number, length: number, place: number): number {
  const cell = length / count;
  const start = index * cell + place * Math.max(0, cell - TILE_PX);
  return Math.floor(start / ALIGNMENT_PX) * ALIGNMENT_PX;
}

/** Numbers in 0..1 that spread evenly: multiples of the golden ratio, modulo 1. */
function fixedSequence(): () => number {
  let value = 0.5;
  return () => (value = (value + 0.618033988749895) % 1);
}
