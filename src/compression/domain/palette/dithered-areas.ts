/**
 * Dithers an indexed image in smooth areas, where a palette alone shows contours (error diffusion, R. W.
 * Floyd and L. Steinberg, 1976). Elsewhere nothing changes, because the noise costs bytes and hides nothing.
 */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { capsOfRow, type SmoothAreas } from '../smooth-areas';
import { onBlack, readOnBlack } from './ground-difference';
import type { IndexedImage } from './indexed-image';
import { NearestColours } from './nearest-colours';

/** Elsewhere noise adds bytes: see smooth-areas.ts. */
const MOST_CAP = 3;
const OPAQUE = 255;

interface Dithering {
  readonly kept: KeptColours;
  readonly areas: SmoothAreas;
  /** Share of a pixel's error that its neighbours compensate, 0..1. */
  readonly strength: number;
}

/** Returns the image with other indices and the same palette. @param source RGBA of the same size */
export function withDitheredAreas(
  image: IndexedImage,
  source: Pixels,
  { kept, areas, strength }: Dithering,
): IndexedImage {
  const { width, height } = image;
  const palette = onBlack(image.palette);
  const search = new NearestColours(1);
  search.find(palette);
  const words = pixelWords(source.data);
  const rows = Uint8Array.from(image.rows);
  const caps = new Uint8Array(width);
  // The errors to compensate in this row and in the next, padded by a pixel on either side.
  let here = new Float32Array((width + 2) * 4);
  let below = new Float32Array(here.length);
  const wanted = search.colours;
  for (let y = 0, at = 0; y < height; y++) {
    capsOfRow(areas, y, caps);
    for (let x = 0; x < width; x++, at++) {
      const alpha = source.data[at * 4 + 3];
      if (caps[x] > MOST_CAP || alpha === 0 || kept.exact.has(words[at])) continue;
      readOnBlack(source.data, at * 4, wanted);
      const error = (x + 1) * 4;
      for (let c = 0; c < (alpha === OPAQUE ? 3 : 4); c++) wanted[c] += here[error + c];
      search.find();
      const [index] = search.nearest;
      rows[at + y + 1] = index;
      for (let c = 0; c < 4; c++) {
        const part = ((wanted[c] - palette[index * 4 + c]) * strength) / 16;
        here[error + 4 + c] += 7 * part;
        below[error - 4 + c] += 3 * part;
        below[error + c] += 5 * part;
        below[error + 4 + c] += part;
      }
    }
    [here, below] = [below, here.fill(0)];
  }
  return { ...image, rows };
}
