/** Reads the stored rows of a PNG without a codec: inflates them and undoes row filters (W3C PNG, 9.2). */
import { inflateSync } from 'node:zlib';
import { bytesOfRows, filterDistance, passesOf } from './png-passes';
import type { PngHeader } from './png-structure';

const PIECE_BYTES = 256 * 1024;

/**
 * Returns the rows of all passes, each preceded by its filter type; undefined if the data are damaged, or more or less than the
 * header requires. Inflates no more than that.
 * @param data parts of one zlib stream
 */
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

/** Returns a copy of the rows with filter type 0 (None); undefined if a filter type is unknown. */
export function withoutFilters(header: PngHeader, filtered: Uint8Array): Uint8Array | undefined {
  const rows = new Uint8Array(filtered);
  const distance = filterDistance(header);
  let start = 0;
  for (const { height, rowBytes } of passesOf(header)) {
    const nothing = new Uint8Array(rowBytes);
    let above = nothing;
    for (let y = 0; y < height; y++) {
      const type = rows[start];
      if (type > 4) return undefined;
      const row = rows.subarray(start + 1, start + 1 + rowBytes);
      unfilter(row, above, type, distance);
      rows[start] = 0;
      above = row;
      start += 1 + rowBytes;
    }
  }
  return rows;
}

/** Replaces the residuals of a row by its bytes. */
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
export function paeth(left: number, above: number, diagonal: number): number {
  const toLeft = Math.abs(above - diagonal);
  const toAbove = Math.abs(left - diagonal);
  const toDiagonal = Math.abs(left + above - 2 * diagonal);
  if (toLeft <= toAbove && toLeft <= toDiagonal) return left;
  return toAbove <= toDiagonal ? above : diagonal;
}
