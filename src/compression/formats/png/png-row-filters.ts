/** Chooses row filters for rows of any kind of PNG (W3C PNG, third edition, 9): palettes, 1 to 16 bits, interlaced. */
import { filterDistance, passesOf } from './png-passes';
import { paeth } from './png-raw-rows';
import type { PngHeader } from './png-structure';

const FILTERS = 5;

/**
 * Returns each row with the filter whose residuals have the lowest entropy. The first row stays unfiltered, which
 * PngCodec.deflate needs to compress well.
 * @param rows unfiltered rows of all passes, each preceded by 0
 */
export function withBestFilters(header: PngHeader, rows: Uint8Array): Uint8Array {
  const filtered = new Uint8Array(rows);
  const distance = filterDistance(header);
  let start = 0;
  for (const { height, rowBytes } of passesOf(header)) {
    let above: Uint8Array = new Uint8Array(rowBytes);
    const residuals = Array.from({ length: FILTERS }, () => new Uint8Array(rowBytes));
    for (let y = 0; y < height; y++) {
      const row = rows.subarray(start + 1, start + 1 + rowBytes);
      if (start > 0) {
        filter(row, above, distance, residuals);
        const best = bestOf(residuals);
        filtered[start] = best;
        filtered.set(residuals[best], start + 1);
      }
      above = row;
      start += 1 + rowBytes;
    }
  }
  return filtered;
}

/** Writes the residuals of a row with each filter: None, Sub, Up, Average, Paeth. */
function filter(
  row: Uint8Array,
  above: Uint8Array,
  distance: number,
  residuals: readonly Uint8Array[],
): void {
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

/** Returns the index of the row with the lowest entropy. */
function bestOf(residuals: readonly Uint8Array[]): number {
  const bits = residuals.map(entropy);
  return bits.indexOf(Math.min(...bits));
}

const COUNTS = new Uint32Array(256);

/** Returns the entropy of the bytes, less a constant that depends on their number. */
function entropy(bytes: Uint8Array): number {
  COUNTS.fill(0);
  for (const byte of bytes) COUNTS[byte]++;
  let bits = 0;
  for (const count of COUNTS) if (count > 1) bits -= count * Math.log2(count);
  return bits;
}
