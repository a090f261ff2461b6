/** Palettes by quality, chosen for the colours of the image where those can be counted, otherwise for its pixels. */
import {
  drawColours,
  readSample,
  sampleColours,
  sampleIds,
  weigh,
} from '../../domain/palette/colour-histogram';
import { refinePalette } from '../../domain/palette/refined-palette';
import { withExactColours } from '../../domain/palette/exact-colours';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import type { Pixels } from '../../domain/pixels';
import { once } from '../work';
import type { LossySource, PngWork } from './png-work';

const SAMPLE_PIXELS = 2 ** 16;
/** Weights of pixels by the caps of their areas: see smooth-areas.ts. Contours show in smooth areas. */
export const TYPICAL = [1, 3, 2, 1.5];

export class Quantiser {
  private readonly counted = once(() => {
    const histogram = this.source.histogram();
    if (!histogram) return undefined;
    const { size } = this.work;
    const weighed = weigh(histogram, TYPICAL);
    const partIds = sampleIds(histogram, size, this.partPixels);
    const sample = sampleColours(weighed, Math.min(SAMPLE_PIXELS, size.width * size.height));
    return { ids: histogram.ids, weighed, partIds, sample };
  });
  private readonly chosen = new Map<number, IndexedImage | undefined>();

  /** @param part what sampleBands returns for `partPixels` */
  constructor(
    private readonly work: PngWork,
    private readonly source: LossySource,
    private readonly part: Pixels,
    private readonly partPixels: number,
  ) {}

  async quantisePart(quality: number, dither: number): Promise<IndexedImage | undefined> {
    const counted = dither === 0 ? this.counted() : undefined;
    if (!counted) return this.work.codec.quantise(this.part, quality, 'fast', dither);
    const chosen = await this.quantiseColours(counted, quality);
    return chosen && drawColours(chosen, counted.partIds, this.part);
  }

  /** Returns the image with exact colours. */
  async quantise(quality: number, dither: number): Promise<IndexedImage | undefined> {
    const { codec, policy, size } = this.work;
    const { pixels, kept } = this.source;
    const counted = dither === 0 ? this.counted() : undefined;
    const colours = counted && (await this.quantiseColours(counted, quality));
    if (counted) return colours && drawColours(colours, counted.ids, size);
    const merged = await codec.quantise(pixels, quality, policy.effort, dither);
    return merged && withExactColours(merged, pixels, kept);
  }

  private async quantiseColours(
    { weighed, sample }: NonNullable<ReturnType<Quantiser['counted']>>,
    quality: number,
  ): Promise<IndexedImage | undefined> {
    if (!this.chosen.has(quality)) {
      const merged = await this.work.codec.quantise(sample.pixels, quality, 'fast');
      const { kept } = this.source;
      const exact =
        merged && withExactColours(readSample(sample, merged), weighed.colours, kept, weighed.weights);
      this.chosen.set(quality, exact && refinePalette(exact.palette, weighed, kept));
    }
    return this.chosen.get(quality);
  }
}
