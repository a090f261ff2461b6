/**
 * What an image is like, from a part of it: bands of whole rows, evenly spread, one below the other. Long rows keep
 * what repeats within them, which decides how well deflate does.
 */
import type { Pixels } from '../pixels';

/** An image of up to so many times as many pixels is taken as a whole. */
const LINEAR_16 = 1.5;
/** Rows of a band: two of the blocks that the score sees blue in. */
const BAND_ROWS = 16;

/** @returns about so many pixels, at least a band; the image itself where it is small */
export function sampleBands(image: Pixels, maxPixels: number): Pixels {
  const { width, height, channels, data } = image;
  const bands = Math.max(1, Math.floor(maxPixels / (width * BAND_ROWS)));
  if (width * height <= maxPixels * LINEAR_16 || bands * BAND_ROWS >= height) return image;
  const rowBytes = width * channels;
  const out = new Uint8Array(bands * BAND_ROWS * rowBytes);
  for (let band = 0; band < bands; band++) {
    const top =
      bands === 1 ? (height - BAND_ROWS) >> 1 : Math.floor((band * (height - BAND_ROWS)) / (bands - 1));
    out.set(data.subarray(top * rowBytes, (top + BAND_ROWS) * rowBytes), band * BAND_ROWS * rowBytes);
  }
  return { width, height: bands * BAND_ROWS, channels, data: out };
}
