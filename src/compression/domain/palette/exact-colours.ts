/**
 * Restores what a quantiser has averaged: an alpha of 0 or 255, and kept colours. A merged opaque pixel would
 * let the background show faintly, and a large area would shift by a few of 255.
 */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import type { IndexedImage } from './indexed-image';
import type { Palette } from './merged-palettes';

const OPAQUE = 255;
const ALPHA = 0xff000000;

/**
 * Returns a palette with the exact colours in it, of any number of entries: merged-palettes.ts brings them
 * down to 256.
 * @param quantised with one row, an index for each of the colours
 */
export function withExactColours(
  { palette, rows }: IndexedImage,
  colours: Pixels,
  kept: KeptColours,
): Palette {
  const merged = pixelWords(palette);
  const places = new Map<number, number>();
  const entries = Uint16Array.from(pixelWords(colours.data), (word, i) => {
    const entry = exactColour(word, merged[rows[i + 1]], kept);
    const place = places.get(entry) ?? places.size;
    places.set(entry, place);
    return place;
  });
  return { palette: new Uint8Array(Uint32Array.from(places.keys()).buffer), entries };
}

/** @param mean what the quantiser has merged the colour into */
function exactColour(word: number, mean: number, kept: KeptColours) {
  const [alpha, meanAlpha] = [word >>> 24, mean >>> 24];
  if (alpha === 0) return kept.hidden;
  if (kept.exact.has(word)) return word;
  if (alpha === OPAQUE) return (mean | ALPHA) >>> 0;
  return meanAlpha === 0 ? kept.hidden : mean;
}
