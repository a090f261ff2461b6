/**
 * A small stand-in for a large image: 64 tiles of 64×64 px from all over it, put together to one square. What a
 * quality setting does to the tiles predicts what it does to the image, and its cost does not grow with the image.
 */
import type { Pixels } from './pixels';

const TILE_PX = 64;
const TILES = 64;
/** Tiles begin on multiples of 16 px, where the blocks of a 4:2:0 JPEG begin: both are coded the same way. */
const ALIGNMENT_PX = 16;
/** An image of up to twice the mosaic's size is its own sample: a mosaic would save nothing. */
const WHOLE_IMAGE_PIXELS = 2 * TILES * TILE_PX * TILE_PX;

/**
 * The mosaic of an image, or the image itself when it is small. The place of each tile inside its cell is drawn
 * from a fixed sequence: the same image gives the same mosaic, and regular patterns are not met in step.
 */
export function sampleMosaic(pixels: Pixels): Pixels {
  const { width, height, channels } = pixels;
  if (width * height <= WHOLE_IMAGE_PIXELS) return pixels;
  // As many columns to rows as the image is wide to tall, and no more of either than there is room for.
  const rows = clamp(Math.round(Math.sqrt((TILES * height) / width)), Math.floor(height / TILE_PX));
  const columns = clamp(Math.floor(TILES / rows), Math.floor(width / TILE_PX));
  const mosaicWidth = columns * TILE_PX;
  const data = new Uint8Array(mosaicWidth * rows * TILE_PX * channels);
  const next = fixedSequence();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const left = tileStart(column, columns, width, next());
      const top = tileStart(row, rows, height, next());
      for (let y = 0; y < TILE_PX; y++) {
        const from = ((top + y) * width + left) * channels;
        const to = ((row * TILE_PX + y) * mosaicWidth + column * TILE_PX) * channels;
        data.set(pixels.data.subarray(from, from + TILE_PX * channels), to);
      }
    }
  }
  return { width: mosaicWidth, height: rows * TILE_PX, channels, data };
}

function clamp(count: number, most: number): number {
  return Math.max(1, Math.min(count, most, TILES));
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
