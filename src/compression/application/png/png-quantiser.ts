/** Palettes of any number of colours, chosen for the colours of an image instead of its pixels. */
import {
  drawColours,
  readSample,
  sampleColours,
  sampleIds,
  weigh,
} from '../../domain/palette/colour-histogram';
import { withExactColours } from '../../domain/palette/exact-colours';
import { MAX_COLOURS, type IndexedImage } from '../../domain/palette/indexed-image';
import { MergedPalettes } from '../../domain/palette/merged-palettes';
import { refinePalette } from '../../domain/palette/refined-palette';
import type { Pixels } from '../../domain/pixels';
import type { LossySource, PngImage } from './png-image';

const SAMPLE_PIXELS = 2 ** 16;
/** Weights of pixels by the caps of their areas: see smooth-areas.ts. Contours show in smooth areas. */
const TYPICAL = [1, 3, 2, 1.5];

export interface Quantiser {
  /** The least and the largest number of colours. */
  readonly least: number;
  readonly most: number;
  /** The mean squaredDifference of the colours. */
  errorOf(count: number): number;
  quantisePart(count: number): IndexedImage;
  quantise(count: number): IndexedImage;
}

/**
 * Returns undefined if the engine has no quantiser.
 * @param part what sampleBands returns for `partPixels`
 */
export async function createQuantiser(
  { codec }: PngImage,
  { pixels, kept, histogram: count }: LossySource,
  part: Pixels,
  partPixels: number,
): Promise<Quantiser | undefined> {
  const histogram = count();
  const weighed = weigh(histogram, TYPICAL);
  const sample = sampleColours(weighed, Math.min(SAMPLE_PIXELS, pixels.width * pixels.height));
  const merged = await codec.quantise(sample.pixels);
  if (!merged) return undefined;
  const exact = withExactColours(readSample(sample, merged), weighed.colours, kept);
  const all = new MergedPalettes(exact, weighed, kept, MAX_COLOURS);
  const full = refinePalette(all.paletteOf(all.least), weighed, kept);
  const palettes = new MergedPalettes({ ...full, entries: full.rows.subarray(1) }, weighed, kept);
  const refined = new Map<number, IndexedImage>();
  const coloursOf = (number: number) => {
    const colours = refined.get(number) ?? refinePalette(palettes.paletteOf(number), weighed, kept);
    refined.set(number, colours);
    return colours;
  };
  const partIds = sampleIds(histogram, pixels, partPixels);
  return {
    least: palettes.least,
    most: palettes.most,
    errorOf: (number) => palettes.errorOf(number),
    quantisePart: (number) => drawColours(coloursOf(number), partIds, part),
    quantise: (number) => drawColours(coloursOf(number), histogram.ids, pixels),
  };
}
