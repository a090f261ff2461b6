import type { Dimensions } from '../dimensions';
import { pixelWords, type Pixels } from '../pixels';

export interface IndexedImage extends Dimensions {
  /** Alpha is not premultiplied. */
  readonly palette: Uint8Array;
  /** Rows from the top, each a 0 (PNG's filter type None) followed by one index per pixel. */
  readonly rows: Uint8Array;
}

export function colourCount({ palette }: IndexedImage): number {
  return palette.length / 4;
}

export function toRgba(
  { width, height, palette, rows }: IndexedImage,
  pixels = new Uint32Array(width * height),
): Pixels {
  const colours = new Uint32Array(256);
  new Uint8Array(colours.buffer).set(palette);
  for (let y = 0, to = 0, from = 1; y < height; y++, from++) {
    // Four at a time take little more than half as long as one at a time.
    for (const end = to + width - 3; to < end; to += 4, from += 4) {
      pixels[to] = colours[rows[from]];
      pixels[to + 1] = colours[rows[from + 1]];
      pixels[to + 2] = colours[rows[from + 2]];
      pixels[to + 3] = colours[rows[from + 3]];
    }
    for (const end = (y + 1) * width; to < end; to++, from++) pixels[to] = colours[rows[from]];
  }
  return { width, height, channels: 4, data: new Uint8Array(pixels.buffer) };
}

export const MAX_COLOURS = 256;
/** Size of the hash table of colours: much larger than a palette, so that collisions are rare. */
const TABLE_BITS = 12;
/** 2^32 ÷ the golden ratio, which spreads similar colours over the table (D. Knuth, multiplicative hashing). */
const HASH_FACTOR = 0x9e3779b1;

/** Returns RGBA pixels as indices into a palette, in order of first occurrence; undefined above 256 colours. */
export function indexed({ width, height, data }: Pixels): IndexedImage | undefined {
  const pixels = pixelWords(data);
  const palette = new Uint32Array(MAX_COLOURS);
  const table = new Int16Array(2 ** TABLE_BITS).fill(-1);
  const rows = new Uint8Array((width + 1) * height);
  let found = 0;
  for (let y = 0; y < height; y++) {
    const [from, to] = [y * width, y * (width + 1) + 1];
    for (let x = 0; x < width; x++) {
      const colour = pixels[from + x];
      let entry = Math.imul(colour, HASH_FACTOR) >>> (32 - TABLE_BITS);
      while (table[entry] >= 0 && palette[table[entry]] !== colour) entry = (entry + 1) % table.length;
      if (table[entry] < 0) {
        if (found === MAX_COLOURS) return undefined;
        palette[found] = colour;
        table[entry] = found++;
      }
      rows[to + x] = table[entry];
    }
  }
  return { width, height, palette: new Uint8Array(palette.buffer, 0, found * 4), rows };
}

/** Fewer would save little. */
const FEW_COLOURS = 16;
/** Nobody chooses more colours than this one by one. */
const MAX_CHOSEN = 64;
const MAIN_SHARE = 0.95;
const CHOSEN_SHARE = 0.25;

/** Returns whether a person seems to have chosen the colours: soft edges add many, but a few others cover nearly all. */
export function isAuthored(image: IndexedImage): boolean {
  const colours = colourCount(image);
  if (colours <= FEW_COLOURS) return true;
  return colours <= MAX_CHOSEN && mainColours(image) >= colours * CHOSEN_SHARE;
}

function mainColours({ width, height, rows }: IndexedImage): number {
  const counts = new Uint32Array(MAX_COLOURS);
  for (const index of rows) counts[index]++;
  // Each row begins with a 0 that is no index.
  counts[0] -= height;
  let left = width * height * MAIN_SHARE;
  return (
    counts
      .sort()
      .reverse()
      .findIndex((count) => (left -= count) <= 0) + 1
  );
}
