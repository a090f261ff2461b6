/** An image of 16 bits per sample, in a format that holds them. */
import { areSame, withRoundedSamples } from '../../domain/deep-pixels';
import type { Pixels } from '../../domain/pixels';
import { type Stopwatch } from '../work';
import type { DeepCodings, LosslessOptions, LossyCoding, ResultFormat } from '../result-format.port';
import type { Convertible, DeepImage } from '../uploads/upload';
import { PackageFailed } from '../../packages/codec-package';

export class DeepFile {
  private constructor(
    private readonly coding: DeepCodings,
    private readonly format: ResultFormat,
    private readonly image: DeepImage,
    private readonly shown: Pixels,
    private readonly name: string,
  ) {}

  /** Returns undefined if the image needs at most 8 bits, or the format cannot hold it in 16. */
  static of(format: ResultFormat, name: string, { deep: image, pixels }: Convertible): DeepFile | undefined {
    const { deep: coding, hasAlpha } = format;
    if (!coding || !image || (image.hasAlpha && !hasAlpha)) return undefined;
    if (pixels.width * pixels.height > (coding.maxPixels ?? Infinity)) return undefined;
    return new DeepFile(coding, format, image, pixels, name);
  }

  /** The codings for the search, which scores 8 bits: the whole image is encoded in 16, its mosaic in 8. */
  get lossy(): LossyCoding[] {
    return this.format.lossy.map((coding) => ({
      ...coding,
      encode: async (pixels, options) => {
        const { chroma } = coding;
        const deep = pixels === this.shown && (await this.image.pixels());
        return (deep && this.coding.encode?.(deep, { ...options, chroma })) || coding.encode(pixels, options);
      },
    }));
  }

  /** Decodes the file of a lossy coding to 8 bits. */
  async decode(file: Uint8Array, original: Pixels): Promise<Pixels> {
    if (original !== this.shown) return this.format.decode(file, original);
    return withRoundedSamples(await this.coding.decode(file, await this.image.pixels()));
  }

  /** @throws PackageFailed when a sample differs */
  async encodeLosslessly(options: LosslessOptions, stopwatch: Stopwatch): Promise<Uint8Array> {
    const pixels = await this.image.pixels();
    const bytes = await stopwatch.time('encode', () => this.coding.encodeLosslessly?.(pixels, options));
    if (!bytes) throw new Error('The format has no coding without loss');
    const decoded = await stopwatch.time('verify', () => this.coding.decode(bytes, pixels));
    if (!areSame(pixels, decoded))
      throw new PackageFailed(
        `The package of the format ${this.name} fails: a file without loss has other samples of 16 bits`,
      );
    return bytes;
  }
}
