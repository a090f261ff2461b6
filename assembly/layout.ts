/** Where things lie in memory: sizes of one tile, and the buffers for one batch. */
import { FREE } from './tables';

export const BLOCK: usize = 4;
/** Luminance of a 4×4 block, f32: its rows lie next to each other, and so do blocks. */
export const BLOCK_BYTES: usize = BLOCK * BLOCK * sizeof<f32>();
/** SIMD loops run past the end of a row by up to three values. */
const SLACK: usize = 4;
const VECTOR: usize = 16;
/** The four sums of a block. */
export const CELL_BYTES: usize = 4 * sizeof<f64>();

export let width: usize = 0;
/** From one row of samples to the next, which may hold several tiles. */
export let rowBytes: usize = 0;
/** 3 for RGB, 4 for RGBA, whose alpha is ignored. */
export let pixelBytes: usize = 3;
/** Whole blocks in a row, which is also the width of the quarter-size planes. */
export let blocks: usize = 0;
/** Blocks in a row including the two that end at the right edge when the width is no multiple of 4. */
export let cells: usize = 0;
export let stripBytes: usize = 0;
export let quarterHeight: usize = 0;
/** Bytes of a row of light: red, green or blue of each cell, u32. */
export let lightBytes: usize = 0;

export let samples: usize = 0;
/** Luminance of the reference. */
export let fine: usize = 0;
/** Luminance of one strip of the candidate. */
export let candidate: usize = 0;
/** Sums of the last two rows of blocks. */
export let sums: usize = 0;
export let sumBytes: usize = 0;
/** Which windows count. */
export let mask: usize = 0;
/** Light of the last two strips. */
export let light: usize = 0;
/** Small planes of the references of all tiles, then those of one candidate. */
export let planes: usize = 0;
export let planeBytes: usize = 0;
export let candidatePlanes: usize = 0;

/**
 * Makes room for rows of so many tiles, of which so many strips are given at a time. The memory only grows: small planes
 * of a reference and a candidate take 1.25 bytes a pixel of the largest image.
 */
export function layOut(
  tileWidth: usize,
  height: usize,
  tiles: usize,
  strips: usize,
  bytesOfPixel: usize,
): void {
  width = tileWidth;
  pixelBytes = bytesOfPixel;
  rowBytes = width * tiles * pixelBytes;
  blocks = width / BLOCK;
  cells = blocks + (width % BLOCK == 0 ? 0 : 2);
  stripBytes = cells * BLOCK_BYTES;
  quarterHeight = height / BLOCK;
  lightBytes = aligned((cells + 2 * SLACK) * sizeof<u32>());
  sumBytes = (cells + SLACK) * CELL_BYTES;
  planeBytes = 2 * (planeSize(0) + planeSize(2));
  samples = FREE;
  fine = samples + aligned(strips * BLOCK * rowBytes + VECTOR);
  candidate = fine + aligned(tiles * strips * stripBytes);
  sums = candidate + aligned(stripBytes);
  mask = sums + 2 * sumBytes;
  light = mask + aligned((cells + SLACK) * sizeof<i64>());
  planes = light + 6 * lightBytes;
  candidatePlanes = planes + tiles * planeBytes;
  const pages = <u32>((candidatePlanes + planeBytes + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
}

function aligned(bytes: usize): usize {
  return (bytes + 15) & ~15;
}

/** Planes 0 and 1 have a quarter of the size of the image, 2 and 3 an eighth. */
export function planeWidth(plane: usize): usize {
  return plane < 2 ? blocks : blocks >> 1;
}

export function planeHeight(plane: usize): usize {
  return plane < 2 ? quarterHeight : quarterHeight >> 1;
}

/** From the first plane of an image to this one. */
export function planeOffset(plane: usize): usize {
  const quarters = min(plane, 2);
  return quarters * planeSize(0) + (plane - quarters) * planeSize(2);
}

function planeSize(plane: usize): usize {
  return aligned((planeWidth(plane) * planeHeight(plane) + SLACK) * sizeof<f32>());
}
