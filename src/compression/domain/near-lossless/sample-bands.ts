/**
 * Evenly spaced bands of an image, joined, on which settings are tried in a fraction of the time. Bands are
 * whole rows, so the repetitions that decide how well the image deflates remain.
 */
import { blankLike, paste, type Pixels } from '../pixels';

/** An image of up to this many times `maxPixels` is used whole: bands would save little. */
const WHOLE_UP_TO = 1.5;
/** Rows per band: two of the blocks in which the score compares blue. */
const BAND_ROWS = 16;

/** Returns about `maxPixels` pixels, at least one band of 16 rows; the image itself if it is small. */
export function sampleBands(image: Pixels, maxPixels: number): Pixels {
  const { width, height } = image;
  const bands = Math.max(1, Math.floor(maxPixels / (width * BAND_ROWS)));
  if (width * height <= maxPixels * WHOLE_UP_TO || bands * BAND_ROWS >= height) return image;
  const sample = blankLike(image, { width, height: bands * BAND_ROWS });
  for (let band = 0; band < bands; band++) {
    const top =
      bands === 1 ? (height - BAND_ROWS) >> 1 : Math.floor((band * (height - BAND_ROWS)) / (bands - 1));
    paste(image, sample, { left: 0, top: band * BAND_ROWS }, { left: 0, top, width, height: BAND_ROWS });
  }
  return sample;
}
