/** Recognises palettes chosen by a person: pixel art and flat drawings, whose colours must stay exact. */
import { colourCount, type IndexedImage } from './indexed-image';

/** A palette of at most this many colours is always kept: fewer would save little. */
const FEW_COLOURS = 16;
/** Nobody chooses more colours than this one by one. */
const MAX_CHOSEN = 64;
/** Share of the pixels that the main colours of an image cover in total. */
const MAIN_SHARE = 0.95;
/** Smallest share of main colours in a chosen palette. */
const CHOSEN_SHARE = 0.25;

/**
 * Returns whether the author seems to have chosen the colours. A chosen palette is small, and most of its colours cover a part of
 * the image. The soft edges of text and lines also add many colours, but a few others cover nearly all pixels.
 */
export function isAuthored(image: IndexedImage): boolean {
  const colours = colourCount(image);
  if (colours <= FEW_COLOURS) return true;
  return colours <= MAX_CHOSEN && mainColours(image) >= colours * CHOSEN_SHARE;
}

/** Returns how many colours, the most frequent first, cover MAIN_SHARE of the pixels. */
function mainColours({ width, height, rows }: IndexedImage): number {
  const counts = new Uint32Array(256);
  for (let y = 0, at = 0; y < height; y++) {
    at++;
    for (let x = 0; x < width; x++) counts[rows[at++]]++;
  }
  const wanted = width * height * MAIN_SHARE;
  let covered = 0;
  let main = 0;
  for (const count of counts.sort().reverse()) {
    if (covered >= wanted) break;
    covered += count;
    main++;
  }
  return main;
}
