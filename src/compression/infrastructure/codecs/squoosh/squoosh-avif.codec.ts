/**
 * The AVIF codec of the portable engine: libavif with libaom as WebAssembly. It lacks tuning for still images, so its files differ
 * from those of the native engine at the same quality.
 */
import { AvifCodec, checkEncode, type AvifEncodeOptions } from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withAvifMetadata } from '../../../formats/avif/avif-metadata';
import { rgbaImage, withoutOpaqueAlpha } from './rgba-image';
import type { SquooshResultModules } from './squoosh-result-modules';

/** avifPixelFormat values in the module. */
const SUBSAMPLE = { '4:2:0': 1, '4:4:4': 3 } as const;

export class SquooshAvifCodec extends AvifCodec {
  /** @param modules loads them; called for the first image */
  constructor(private readonly modules: () => Promise<SquooshResultModules>) {
    super();
  }

  async encode(pixels: Pixels, options: AvifEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, effort, metadata } = options;
    checkEncode(AvifCodec, pixels, options);
    // libavif's scale goes to 10.
    const speed = AvifCodec.MAX_EFFORT - effort;
    const encoded = await (
      await this.modules()
    ).encodeAvif(rgbaImage(pixels), {
      quality,
      speed,
      subsample: SUBSAMPLE[chroma],
      bitDepth: 8,
    });
    const avif = new Uint8Array(encoded);
    return metadata ? withAvifMetadata(avif, metadata) : avif;
  }

  async decode(avif: Uint8Array): Promise<Pixels> {
    return withoutOpaqueAlpha(await (await this.modules()).decodeAvif(new Uint8Array(avif).buffer));
  }
}
