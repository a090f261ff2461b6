/** The stored rows of any PNG, without a codec (W3C PNG, 8.1 and 9). */
import { inflateSync } from 'node:zlib';
import type { PngHeader } from './png-structure';
import type { Dimensions } from '../../domain/dimensions';

/** Samples per stored pixel by colour type (W3C PNG, 11.2.1). */
export const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The passes of Adam7: first column, first row, column step, row step. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const SINGLE_PASS = [[0, 0, 1, 1]] as const;

export interface PngPass extends Dimensions {
  /** The first pixel in the image, and the distances to the next ones. */
  readonly from: readonly [left: number, top: number, stepX: number, stepY: number];
  /** Without the filter byte. */
  readonly rowBytes: number;
}

export function listPasses({ storedSize, colourType, bitDepth, isInterlaced }: PngHeader): PngPass[] {
  const bits = SAMPLES[colourType] * bitDepth;
  return (isInterlaced ? ADAM7 : SINGLE_PASS)
    .map((from) => {
      const [left, top, stepX, stepY] = from;
      const width = Math.ceil((storedSize.width - left) / stepX);
      const height = Math.ceil((storedSize.height - top) / stepY);
      return { width, height, rowBytes: Math.ceil((width * bits) / 8), from };
    })
    .filter(({ width, height }) => width > 0 && height > 0);
}

/** Allocates nothing: an animation may have 100 000 frames. */
export function bytesOfRows(
  header: PngHeader,
  width = header.storedSize.width,
  height = header.storedSize.height,
): number {
  const bits = SAMPLES[header.colourType] * header.bitDepth;
  const passes = header.isInterlaced ? ADAM7 : SINGLE_PASS;
  let bytes = 0;
  for (const [left, top, stepX, stepY] of passes) {
    const columns = Math.ceil((width - left) / stepX);
    const rows = Math.ceil((height - top) / stepY);
    if (columns > 0 && rows > 0) bytes += rows * (1 + Math.ceil((columns * bits) / 8));
  }
  return bytes;
}

/** Returns the distance in bytes that row filters use for the pixel to the left: at least 1. */
export function filterDistance({ colourType, bitDepth }: PngHeader): number {
  return Math.max(1, (SAMPLES[colourType] * bitDepth) / 8);
}

const PIECE_BYTES = 256 * 1024;

/** Returns undefined if the data are damaged, or more or less than the header requires; inflates no more than that. */
export function inflatedRows(header: PngHeader, data: readonly Uint8Array[]): Uint8Array | undefined {
  const length = bytesOfRows(header);
  try {
    const rows = inflateSync(data.length === 1 ? data[0] : Buffer.concat(data), {
      chunkSize: PIECE_BYTES,
      maxOutputLength: length,
    });
    return rows.length === length ? rows : undefined;
  } catch {
    return undefined;
  }
}

/** Goes through the rows of all passes. `start` is the position of the filter type; above the first row of a pass are zeros. */
export function* rowsIn(header: PngHeader, rows: Uint8Array) {
  let start = 0;
  for (const { height, rowBytes } of listPasses(header)) {
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let y = 0; y < height; y++) {
      const row = rows.subarray(start + 1, start + 1 + rowBytes);
      yield { start, row, above };
      above = row;
      start += 1 + rowBytes;
    }
  }
}

/** Returns the rows with filter type 0 (None); undefined as inflatedRows and withoutFilters do. */
export function plainRows(header: PngHeader, data: readonly Uint8Array[]): Uint8Array | undefined {
  const filtered = inflatedRows(header, data);
  return filtered && withoutFilters(header, filtered);
}

/** Returns a copy of the rows with filter type 0 (None); undefined if a filter type is unknown. */
export function withoutFilters(header: PngHeader, filtered: Uint8Array): Uint8Array | undefined {
  const rows = new Uint8Array(filtered);
  const distance = filterDistance(header);
  for (const { start, row, above } of rowsIn(header, rows)) {
    if (rows[start] > 4) return undefined;
    unfilter(row, above, rows[start], distance);
    rows[start] = 0;
  }
  return rows;
}

export function unfilter(row: Uint8Array, above: Uint8Array, type: number, distance: number): void {
  const { length } = row;
  const first = Math.min(distance, length);
  switch (type) {
    case 1:
      for (let i = distance; i < length; i++) row[i] += row[i - distance];
      return;
    case 2:
      for (let i = 0; i < length; i++) row[i] += above[i];
      return;
    case 3:
      for (let i = 0; i < first; i++) row[i] += above[i] >> 1;
      for (let i = distance; i < length; i++) row[i] += (row[i - distance] + above[i]) >> 1;
      return;
    case 4:
      for (let i = 0; i < first; i++) row[i] += above[i];
      for (let i = distance; i < length; i++)
        row[i] += paeth(row[i - distance], above[i], above[i - distance]);
  }
}

/** Returns the byte to the left, above, or diagonally above that is closest to left + above − diagonal (W3C PNG, 9.4). */
function paeth(left: number, above: number, diagonal: number) {
  const toLeft = Math.abs(above - diagonal);
  const toAbove = Math.abs(left - diagonal);
  const toDiagonal = Math.abs(left + above - 2 * diagonal);
  if (toLeft <= toAbove && toLeft <= toDiagonal) return left;
  return toAbove <= toDiagonal ? above : diagonal;
}

const FILTERS = 5;

/** The lowest entropy of residuals decides. The first row stays unfiltered. */
export function withBestFilters(header: PngHeader, rows: Uint8Array): Uint8Array {
  const filtered = new Uint8Array(rows);
  const distance = filterDistance(header);
  let residuals: readonly Uint8Array[] = [];
  for (const { start, row, above } of rowsIn(header, rows)) {
    if (start === 0) continue;
    if (residuals.at(0)?.length !== row.length)
      residuals = Array.from({ length: FILTERS }, () => new Uint8Array(row.length));
    filter(row, above, distance, residuals);
    const bits = residuals.map(entropy);
    const best = bits.indexOf(Math.min(...bits));
    filtered[start] = best;
    filtered.set(residuals[best], start + 1);
  }
  return filtered;
}

function filter(row: Uint8Array, above: Uint8Array, distance: number, residuals: readonly Uint8Array[]) {
  const [none, sub, up, average, paethed] = residuals;
  for (let i = 0; i < row.length; i++) {
    const value = row[i];
    const b = above[i];
    const a = i < distance ? 0 : row[i - distance];
    const c = i < distance ? 0 : above[i - distance];
    none[i] = value;
    sub[i] = value - a;
    up[i] = value - b;
    average[i] = value - ((a + b) >> 1);
    paethed[i] = value - paeth(a, b, c);
  }
}

const COUNTS = new Uint32Array(256);

/** Returns the entropy of the bytes, less a constant that depends on their number. */
function entropy(bytes: Uint8Array) {
  COUNTS.fill(0);
  for (const byte of bytes) COUNTS[byte]++;
  let bits = 0;
  for (const count of COUNTS) if (count > 1) bits -= count * Math.log2(count);
  return bits;
}
