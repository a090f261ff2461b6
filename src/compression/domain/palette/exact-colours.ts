/** Keeps alpha of 0 and 255 and kept colours exact, which a quantiser averages with others. */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import type { IndexedImage } from './indexed-image';

const OPAQUE = 255;
const ALPHA = 0xff000000;

export interface ColourEntries {
  /** RGBA. There may be more than 256 entries. */
  readonly palette: Uint8Array;
  /** The entry of each colour. */
  readonly entries: Uint16Array;
}

/** @param quantised with one row, an index for each of the colours */
export function withExactColours(
  { palette, rows }: IndexedImage,
  colours: Pixels,
  kept: KeptColours,
): ColourEntries {
  const merged = pixelWords(palette);
  const places = new Map<number, number>();
  const entries = Uint16Array.from(pixelWords(colours.data), (word, i) => {
    const alpha = word >>> 24;
    const mean = merged[rows[i + 1]];
    const isOpaque = alpha === OPAQUE || mean >>> 24 === OPAQUE;
    const isHidden = alpha === 0 || (alpha < OPAQUE && mean >>> 24 === 0);
    const shown = kept.exact.has(word) ? word : (mean | (isOpaque ? ALPHA : 0)) >>> 0;
    const entry = alpha > 0 && (!isHidden || kept.exact.has(word)) ? shown : kept.hidden;
    const place = places.get(entry) ?? places.size;
    places.set(entry, place);
    return place;
  });
  return { palette: new Uint8Array(Uint32Array.from(places.keys()).buffer), entries };
}
