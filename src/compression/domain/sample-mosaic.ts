/**
 * A small stand-in for a large image: up to 64 tiles of 64×64 px from all over it, put together. What a
 * quality setting does to the tiles predicts what it does to the image, and its cost does not grow with the image.
 */
import type { Dimensions } from './dimensions';
import type { Pixels } from './pixels';

const TILE_PX = 64;
/**
 * Tiles: one for every 32 768 px (an eighth of the picture), at least 16 and at most 64. What the whole loses then lies
 * within 8 % (standard deviation) of what 16 tiles lose, 3 % of 32, and 2 % of 64.
 */
const FEWEST_TILES = 16;
const MOST_TILES = 64;
const PIXELS_PER_TILE = 32_768;
/** See Sample.isFaithful. */
const FAITHFUL_TILES = 32;
/** Tiles begin on multiples of 16 px, where the blocks of a 4:2:0 JPEG begin: both are coded the same way. */
const ALIGNMENT_PX = 16;
/** An image of up to twice the smallest mosaic is its own sample: a mosaic would save next to nothing. */
const WHOLE_IMAGE_PIXELS = 2 * FEWEST_TILES * TILE_PX * TILE_PX;

/** Half a block: as far from the block grid of a source as a tile can lie. */
const SHIFT_PX = 4;

export interface Sample {
  readonly pixels: Pixels;
  /** What the pixels are made up of, row by row; as large as they are when they are one piece of the image. */
  readonly tile: Dimensions;
  /** The whole loses what the sample does, within 3 % (standard deviation): less than a step of quality. */
  readonly isFaithful: boolean;
}

/**
 * The mosaic of an image, or all of it when it is small.
 *
 * On a `shifted` grid the tiles lie across the blocks that a source JPEG was coded in. Coding such blocks once more
 * at their own quality loses almost nothing, which says nothing about what the quality does to a picture: a search on
 * them drifts downwards with every pass (82, 69, 51, ...). Across the blocks the same picture loses the same, however
 * often it has been saved.
 *
 * The place of each tile inside its cell is drawn from a fixed sequence: the same image gives the same mosaic, and
 * regular patterns are not met in step.
 */
export function sampleMosaic(pixels: Pixels, grid: 'aligned' | 'shifted'): Sample {
  const { channels } = pixels;
  const shift = grid === 'shifted' ? SHIFT_PX : 0;
  const width = pixels.width - shift;
  const height = pixels.height - shift;
  if (width < 1 || height < 1) return inOnePiece(pixels);
  if (width * height <= WHOLE_IMAGE_PIXELS) return inOnePiece(shift === 0 ? pixels : cropped(pixels, shift));
  const tiles = clamp(Math.round((width * height) / PIXELS_PER_TILE), FEWEST_TILES, MOST_TILES);
  // As many columns to rows as the image is wide to tall, and no more of either than there is room for.
  const rows = clamp(Math.round(Math.sqrt((tiles * height) / width)), 1, Math.floor(height / TILE_PX));
  const columns = clamp(Math.floor(tiles / rows), 1, Math.floor(width / TILE_PX));
  const mosaicWidth = columns * TILE_PX;
  const data = new Uint8Array(mosaicWidth * rows * TILE_PX * channels);
  const next = fixedSequence();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const left = tileStart(column, columns, width, next());
      const top = tileStart(row, rows, height, next());
      for (let y = 0; y < TILE_PX; y++) {
        const from = ((top + shift + y) * pixels.width + left + shift) * channels;
        const to = ((row * TILE_PX + y) * mosaicWidth + column * TILE_PX) * channels;
        data.set(pixels.data.subarray(from, from + TILE_PX * channels), to);
      }
    }
  }
  const mosaic = { width: mosaicWidth, height: rows * TILE_PX, channels, data };
  const tile = { width: TILE_PX, height: TILE_PX };
  return { pixels: mosaic, tile, isFaithful: columns * rows >= FAITHFUL_TILES };
}

function inOnePiece(pixels: Pixels): Sample {
  return { pixels, tile: pixels, isFaithful: true };
}

/** All but the first columns and rows. */
function cropped({ width, channels, height, data }: Pixels, shift: number): Pixels {
  const rowBytes = (width - shift) * channels;
  const out = new Uint8Array(rowBytes * (height - shift));
  for (let y = shift; y < height; y++) {
    const from = (y * width + shift) * channels;
    out.set(data.subarray(from, from + rowBytes), (y - shift) * rowBytes);
  }
  return { width: width - shift, height: height - shift, channels, data: out };
}

function clamp(count: number, least: number, most: number): number {
  return Math.max(least, Math.min(count, most));
}

/** Start of a tile inside its cell; `place` from 0 to 1. */
function tileStart(index: number, count: number, length: number, place: number): number {
  const cell = length / count;
  const start = index * cell + place * (cell - TILE_PX);
  return Math.floor(start / ALIGNMENT_PX) * ALIGNMENT_PX;
}

/** Numbers in 0..1 that spread evenly: multiples of the golden ratio, modulo 1. */
function fixedSequence(): () => number {
  let value = 0.5;
  return () => (value = (value + 0.618033988749895) % 1);
}
