/**
 * The score's hot loops, compiled to WebAssembly. An image, or each of the tiles that it consists of, is read once, in
 * strips of four rows. Luminance at full size is compared strip by strip; the smaller planes are compared after the last
 * strip. Both sides of a tile are at least 64 px.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */
import {
  BLOCK,
  blocks,
  candidate,
  candidatePlanes,
  fine,
  layOut,
  light,
  lightBytes,
  pixelBytes,
  planeBytes,
  planeHeight,
  planeOffset,
  planes,
  planeWidth,
  rowBytes,
  samples,
  stripBytes,
  width,
} from './layout';
import { readStrip } from './luminance';
import { addPlaneRow, edgesBetween } from './small-planes';
import { RED, RESPONSE } from './tables';
import { addRows, addStrip, beginWindows, breakRows, pooled } from './windows';

let tile: usize = 0;
let stripsAtATime: usize = 0;
let planeRow: usize = 0;

export function lightTable(): usize {
  return RED;
}

export function responseTable(): usize {
  return RESPONSE;
}

/** Makes room for rows of tiles of a size, of which so many strips are given at a time. */
export function begin(w: usize, h: usize, tiles: usize, strips: usize, bytesOfPixel: usize): void {
  layOut(w, h, tiles, strips, bytesOfPixel);
  stripsAtATime = strips;
}

/** Where the caller puts the samples of the next strips: R, G, B and perhaps alpha, row by row, of all tiles. */
export function samplesAt(): usize {
  return samples;
}

/** Where the luminance of the reference lies, as it is made and to be compared with: `fineBytes` for each strip. */
export function fineAt(): usize {
  return fine;
}

export function fineBytes(): usize {
  return stripBytes;
}

/** Where the small planes of the reference lie: `planesBytes` for each tile. */
export function planesAt(): usize {
  return planes;
}

export function planesBytes(): usize {
  return planeBytes;
}

/** Begins one of the tiles of a row. */
export function beginTile(index: usize): void {
  tile = index;
  planeRow = 0;
  beginWindows(blocks, width % BLOCK != 0, 4);
}

/** Makes the next strips a reference. */
export function readReference(strips: usize, isEdge: bool): void {
  for (let strip: usize = 0; strip < strips; strip++) {
    read(strip, fineOf(strip), planes + tile * planeBytes, isEdge);
  }
}

/**
 * Compares the next strips with those of the reference.
 * @param isEdge two strips that end at the bottom of an image whose height is no multiple of 4
 */
export function compare(strips: usize, isEdge: bool): void {
  if (isEdge) breakRows();
  for (let strip: usize = 0; strip < strips; strip++) {
    read(strip, candidate, candidatePlanes, isEdge);
    addStrip(fineOf(strip), candidate);
  }
}

function fineOf(strip: usize): usize {
  return fine + (tile * stripsAtATime + strip) * stripBytes;
}

function read(strip: usize, luminance: usize, to: usize, isEdge: bool): void {
  const even = light;
  const odd = light + 3 * lightBytes;
  const lights = planeRow % 2 == 0 ? even : odd;
  readStrip(samples + strip * BLOCK * rowBytes + tile * width * pixelBytes, luminance, lights);
  if (isEdge) return;
  addPlaneRow(to, planeRow, lights, planeRow % 2 == 0 ? odd : even);
  planeRow++;
}

/** Loss of the strips of this tile: fourth-power mean over all windows. */
export function fineLoss(): f64 {
  return pooled();
}

/** Loss of structure in a small plane of this tile. */
export function structureLoss(plane: usize, power: u32): f64 {
  const a = planes + tile * planeBytes + planeOffset(plane);
  const b = candidatePlanes + planeOffset(plane);
  const columns = planeWidth(plane);
  const rows = planeHeight(plane);
  const rowSize = columns * sizeof<f32>();
  beginWindows(columns / BLOCK, columns % BLOCK != 0, power);
  for (let top: usize = 0; top + BLOCK <= rows; top += BLOCK) {
    addRows(a + top * rowSize, b + top * rowSize, columns);
  }
  if (rows % BLOCK != 0) {
    breakRows();
    for (let top = rows - 2 * BLOCK; top < rows; top += BLOCK) {
      addRows(a + top * rowSize, b + top * rowSize, columns);
    }
  }
  return pooled();
}

/** Edges that were added to a small plane of this tile. */
export function edgeLoss(plane: usize, power: u32): f64 {
  const a = planes + tile * planeBytes + planeOffset(plane);
  const b = candidatePlanes + planeOffset(plane);
  return edgesBetween(a, b, planeWidth(plane), planeHeight(plane), power);
}

/** Where the values of a small plane of this tile lie, of the reference or the candidate. */
export function planeAt(plane: usize, ofCandidate: bool): usize {
  const first = ofCandidate ? candidatePlanes : planes + tile * planeBytes;
  return first + planeOffset(plane);
}
