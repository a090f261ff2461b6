/** The WebP codec of the portable engine: libwebp as WebAssembly. */
import { WebpCodec, checkEncode, type WebpEncodeOptions } from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withWebpMetadata } from '../../../formats/webp/webp-metadata';
import { rgbaImage, withoutOpaqueAlpha } from './rgba-image';
import type { SquooshResultModules } from './squoosh-result-modules';

/** libwebp reads the quality of a lossless image as effort. */
const LOSSLESS_QUALITY = 80;
/** A value of near_lossless that changes no sample. */
const EXACT = 100;

export class SquooshWebpCodec extends WebpCodec {
  /** @param modules loads them; called for the first image */
  constructor(private readonly modules: () => Promise<SquooshResultModules>) {
    super();
  }

  async encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array> {
    const { mode, quality, effort, metadata } = options;
    checkEncode(WebpCodec, pixels, options);
    const isLossy = mode === 'lossy';
    const encoded = await (
      await this.modules()
    ).encodeWebp(rgbaImage(pixels), {
      quality: isLossy ? quality : LOSSLESS_QUALITY,
      method: effort,
      lossless: isLossy ? 0 : 1,
      near_lossless: mode === 'near-lossless' ? quality : EXACT,
      use_sharp_yuv: 1,
      alpha_quality: 100,
    });
    const webp = new Uint8Array(encoded);
    return metadata ? withWebpMetadata(webp, metadata) : webp;
  }

  async decode(webp: Uint8Array): Promise<Pixels> {
    return withoutOpaqueAlpha(await (await this.modules()).decodeWebp(new Uint8Array(webp).buffer));
  }
}
