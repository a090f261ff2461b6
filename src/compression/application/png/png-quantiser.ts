/** Palettes by quality, chosen for the colours of the image where those can be counted, otherwise for its pixels. */
import type { Effort } from '../../domain/compression-policy';
import {
  drawColours,
  readSample,
  sampleColours,
  sampleIds,
  weigh,
} from '../../domain/palette/colour-histogram';
import { refinePalette } from '../../domain/palette/refined-palette';
import { withExactColours } from '../../domain/palette/exact-colours';
import { colourCount, MAX_COLOURS, type IndexedImage } from '../../domain/palette/indexed-image';
import type { Pixels } from '../../domain/pixels';
import { once } from '../work';
import type { LossySource, PngWork } from './png-work';

/** Qualities of palettes: see PngCodec.quantise. */
export const FINEST = 100;
const SAMPLE_PIXELS = 2 ** 16;
/** Weights of pixels by the caps of their areas: see smooth-areas.ts. Contours show in smooth areas. */
const TYPICAL = [1, 3, 2, 1.5];

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
  /** The lowest quality whose palette was full, by the strength of dithering. */
  private readonly fullFrom = new Map<number, number>();

  /** @param part what sampleBands returns for `partPixels` */
  constructor(
    private readonly work: PngWork,
    private readonly source: LossySource,
    private readonly part: Pixels,
    private readonly partPixels: number,
  ) {}

  /** Whether finer qualities give no more colours, as far as is known. */
  isFinest(quality: number, dither: number): boolean {
    return quality >= (this.fullFrom.get(dither) ?? FINEST);
  }

  async quantisePart(quality: number, dither: number): Promise<IndexedImage | undefined> {
    const counted = dither === 0 ? this.counted() : undefined;
    if (!counted) return this.quantisePixels(this.part, quality, dither);
    const colours = await this.quantiseColours(counted, quality);
    return colours && drawColours(colours, counted.partIds, this.part);
  }

  /** Returns the image with exact colours. */
  async quantise(quality: number, dither: number): Promise<IndexedImage | undefined> {
    const { policy, size } = this.work;
    const { pixels, kept } = this.source;
    const counted = dither === 0 ? this.counted() : undefined;
    const colours = counted && (await this.quantiseColours(counted, quality));
    if (counted) return colours && drawColours(colours, counted.ids, size);
    const merged = await this.quantisePixels(pixels, quality, dither, policy.effort);
    return merged && withExactColours(merged, pixels, kept);
  }

  private async quantiseColours({ weighed, sample }: Counted, quality: number) {
    if (!this.chosen.has(quality)) {
      const merged = await this.quantisePixels(sample.pixels, quality);
      const { kept } = this.source;
      const exact =
        merged && withExactColours(readSample(sample, merged), weighed.colours, kept, weighed.weights);
      this.chosen.set(quality, exact && refinePalette(exact.palette, weighed, kept));
    }
    return this.chosen.get(quality);
  }

  private async quantisePixels(pixels: Pixels, quality: number, dither = 0, effort: Effort = 'fast') {
    const image = await this.work.codec.quantise(pixels, quality, effort, dither);
    const isFull = image && colourCount(image) === MAX_COLOURS;
    if (isFull && !this.isFinest(quality, dither)) this.fullFrom.set(dither, quality);
    return image;
  }
}

type Counted = NonNullable<ReturnType<Quantiser['counted']>>;
