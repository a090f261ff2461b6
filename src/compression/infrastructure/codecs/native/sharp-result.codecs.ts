/** The AVIF and WebP codecs of libvips (sharp): libaom, tuned for still images (`iq`), and libwebp, each in one thread. */
import {
  AvifCodec,
  checkEncode,
  type AvifEncodeOptions,
  WebpCodec,
  type WebpEncodeOptions,
} from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withAvifMetadata } from '../../../formats/avif/avif-metadata';
import { decodeResult, openPixels } from './sharp-pipeline';
import { withWebpMetadata } from '../../../formats/webp/webp-file';

export class SharpAvifCodec extends AvifCodec {
  async encode(pixels: Pixels, options: AvifEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, effort, metadata } = options;
    checkEncode(AvifCodec, pixels, options);
    const avif = await openPixels(pixels)
      .avif({ quality, chromaSubsampling: chroma, effort, tune: 'iq', bitdepth: 8 })
      .toBuffer();
    return metadata ? withAvifMetadata(avif, metadata) : avif;
  }

  decode(avif: Uint8Array): Promise<Pixels> {
    return decodeResult(avif);
  }
}

/** libwebp reads the quality of a lossless image as effort; more than this takes much longer and saves little. */
const LOSSLESS_QUALITY = 80;

export class SharpWebpCodec extends WebpCodec {
  async encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array> {
    const { mode, quality, effort, metadata } = options;
    checkEncode(WebpCodec, pixels, options);
    const webp = await openPixels(pixels)
      .webp({
        effort,
        ...(mode === 'lossy'
          ? { quality, smartSubsample: true, alphaQuality: 100 }
          : { quality: LOSSLESS_QUALITY, lossless: true }),
      })
      .toBuffer();
    return metadata ? withWebpMetadata(webp, metadata) : webp;
  }

  decode(webp: Uint8Array): Promise<Pixels> {
    return decodeResult(webp);
  }
}
