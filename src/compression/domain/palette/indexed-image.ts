/**
 * Images with a palette, in the form that PNG stores, and back to RGBA. Also decides whether a person chose
 * the colours: pixel art and flat drawings keep them exactly.
 */
import type { Dimensions } from '../dimensions';
import { loadModule, type WasmModule } from '../load-module';
import { pixelWords, type Pixels } from '../pixels';
import { PALETTE_PIXELS_MODULE } from '../web-assembly';

/** An image whose pixels are indices into a palette of up to 256 colours. */
export interface IndexedImage extends Dimensions {
  /** RGBA, four bytes a colour. Alpha is not premultiplied. */
  readonly palette: Uint8Array;
  /** Rows from the top, each a 0 (PNG's filter type None) followed by one index per pixel. */
  readonly rows: Uint8Array;
}

export function colourCount({ palette }: IndexedImage): number {
  return palette.length / 4;
}

/** The exports of the module (source: assembly/palette-pixels.ts). Addresses are offsets into its memory. */
interface PixelModule extends WasmModule<'coloursAt' | 'indicesAt' | 'pixelsAt'> {
  begin(width: number, rows: number): void;
  lookUp(rows: number): void;
}

const load = loadModule<PixelModule>(PALETTE_PIXELS_MODULE);
/** Rows and their pixels fit into the L2 cache. */
const BATCH_PIXELS = 2 ** 15;

/** Returns the pixels. @param pixels memory for them, to be used again by a caller that draws many */
export function toRgba(
  { width, height, palette, rows }: IndexedImage,
  pixels = new Uint32Array(width * height),
): Pixels {
  const module = load();
  const batch = Math.max(1, Math.min(height, Math.floor(BATCH_PIXELS / width)));
  module.begin(width, batch);
  const memory = new Uint8Array(module.memory.buffer);
  memory.fill(0, module.coloursAt(), module.indicesAt()).set(palette, module.coloursAt());
  const data = new Uint8Array(pixels.buffer);
  for (let y = 0; y < height; y += batch) {
    const count = Math.min(batch, height - y);
    memory.set(rows.subarray(y * (width + 1), (y + count) * (width + 1)), module.indicesAt());
    module.lookUp(count);
    const from = module.pixelsAt();
    data.set(memory.subarray(from, from + count * width * 4), y * width * 4);
  }
  return { width, height, channels: 4, data };
}

export const MAX_COLOURS = 256;
/** Size of the hash table of colours: much larger than a palette, so that collisions are rare. */
const TABLE_BITS = 12;
/** Odd, and different in every process, so that nobody can send colours that collide (M. Dietzfelbinger et al., universal hashing, 1997). */
export const HASH_FACTOR = (Math.random() * 2 ** 32) | 1;

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

/** A palette of at most this many colours is kept as it is: fewer would save little. */
const FEW_COLOURS = 16;
/** Nobody chooses more colours than this one by one. */
const MAX_CHOSEN = 64;
/** The share of the pixels that the main colours cover. */
const MAIN_SHARE = 0.95;
/** The smallest share of a chosen palette that are main colours: soft edges of text add many others. */
const CHOSEN_SHARE = 0.25;

/** Returns whether a person seems to have chosen the colours: soft edges add many, but a few others cover nearly all. */
export function isAuthored(image: IndexedImage): boolean {
  const colours = colourCount(image);
  if (colours <= FEW_COLOURS) return true;
  return colours <= MAX_CHOSEN && mainColours(image) >= colours * CHOSEN_SHARE;
}

function mainColours({ width, height, rows }: IndexedImage) {
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
