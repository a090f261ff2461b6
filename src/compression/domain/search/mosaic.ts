/**
 * A mosaic of an image: up to 64 tiles of 64×64 px from all of its parts; more and larger ones if an encoder needs them. The loss and
 * size of the tiles at a quality predict those of the image, at a cost that does not grow with the image.
 */
import type { Dimensions, Position } from '../dimensions';
import { blankLike, crop, paste, type Pixels } from '../pixels';

const TILE_PX = 64;
/**
 * Number of tiles: an eighth of the image, at least 16 and at most 64. The loss of the whole image is within 8% (standard
 * deviation) of the loss of 16 tiles and within 3% of the loss of 64; MosaicReference estimates the error for each image.
 */
const FEWEST_TILES = 16;
const MAX_TILES = 64;
const MOSAIC_SHARE = 1 / 8;
/** Like the blocks of a 4:2:0 JPEG, so that both are encoded alike. */
const ALIGNMENT_PX = 16;

/** What an encoder needs beyond tiles of 64×64 px. */
export interface TileOptions {
  /** Extra pixels on every side of a tile, which the seams spoil; 0 if absent. */
  readonly seamPx?: number;
  readonly maxTiles?: number;
  /** Pixels per CSS pixel at which the image is seen: tiles grow with it. 1 if absent. */
  readonly density?: number;
}

export interface Mosaic {
  readonly pixels: Pixels;
  /** Size of a tile; the pixels consist of tiles, row by row. As large as the pixels if they are one piece of the image. */
  readonly tile: Dimensions;
  /** The share of the image that the tiles cover, 0..1. */
  readonly share: number;
  readonly density?: number;
}

/**
 * Returns the mosaic of an image, or the whole image if it is small. The tiles of a source JPEG are taken off its
 * block grid (see offGridOrigin): on it, re-encoding at the source's own quality loses almost nothing, so every search
 * would go lower (82, 69, 51, ...). The place of a tile in its cell follows a fixed sequence, so that the same image
 * gives the same mosaic.
 * @param from where the grid of tiles begins; pixels to the left of it and above are not used
 */
export function buildMosaic(
  pixels: Pixels,
  from: Position = { left: 0, top: 0 },
  { seamPx = 0, maxTiles = MAX_TILES, density = 1 }: TileOptions = {},
): Mosaic {
  const [width, height] = [pixels.width - from.left, pixels.height - from.top];
  if (width < 1 || height < 1) return { pixels, tile: pixels, share: 1, density };
  const computeShare = (part: Pixels) => (part.width * part.height) / (pixels.width * pixels.height);
  const { inner, fewest } = tilesAt(density);
  const most = Math.round(maxTiles / density);
  if (isTriedWhole(width * height, density)) {
    const rest = from.left + from.top === 0 ? pixels : crop(pixels, from, { width, height });
    return { pixels: rest, tile: rest, share: computeShare(rest), density };
  }
  const side = inner + 2 * seamPx;
  const tile = { width: Math.min(side, width), height: Math.min(side, height) };
  const tiles = clamp(Math.round((width * height * MOSAIC_SHARE) / side ** 2), fewest, most);
  // Columns and rows are in the ratio of width and height, if there is room.
  const rows = clamp(Math.round(Math.sqrt((tiles * height) / width)), 1, Math.floor(height / tile.height));
  const columns = clamp(Math.floor(tiles / rows), 1, Math.floor(width / tile.width));
  const mosaic = blankLike(pixels, { width: columns * tile.width, height: rows * tile.height });
  const next = fixedSequence();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const left = from.left + tileStart(column, columns, { length: width, side, place: next() });
      const top = from.top + tileStart(row, rows, { length: height, side, place: next() });
      const place = { left: column * tile.width, top: row * tile.height };
      paste(pixels, mosaic, place, { left, top, ...tile });
    }
  }
  return { pixels: mosaic, tile, share: computeShare(mosaic), density };
}

/** An image of up to twice the smallest mosaic is used as a whole, because a mosaic would save little. */
export function isTriedWhole(pixelCount: number, density: number): boolean {
  const { inner, fewest } = tilesAt(density);
  return pixelCount <= 2 * fewest * inner ** 2;
}

/** Larger tiles are fewer, so that trials take about as long. */
function tilesAt(density: number): { readonly inner: number; readonly fewest: number } {
  return {
    inner: ALIGNMENT_PX * Math.ceil((TILE_PX / ALIGNMENT_PX) * density),
    fewest: Math.ceil(FEWEST_TILES / density),
  };
}

function clamp(count: number, least: number, most: number) {
  return Math.max(least, Math.min(count, most));
}

/** Returns where a tile begins in its cell, on the grid of ALIGNMENT_PX. @param place in the cell, 0..1 */
function tileStart(
  index: number,
  count: number,
  { length, side, place }: { readonly length: number; readonly side: number; readonly place: number },
) {
  const cell = length / count;
  const start = index * cell + place * Math.max(0, cell - side);
  return Math.floor(start / ALIGNMENT_PX) * ALIGNMENT_PX;
}

/** Returns numbers in 0..1 that spread evenly: multiples of the golden ratio, modulo 1. */
function fixedSequence() {
  let value = 0.5;
  return () => (value = (value + 0.618033988749895) % 1);
}
