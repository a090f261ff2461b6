/** The WebP codec of libvips (sharp): libwebp, in one thread. */
import type { WebpOptions } from 'sharp';
import { WebpCodec, checkEncode, type WebpEncodeOptions } from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withWebpMetadata } from '../../../formats/webp/webp-metadata';
import { decodeResult, openPixels } from './sharp-pipeline';

/** libwebp reads the quality of a lossless image as effort; more than this takes much longer and saves little. */
const LOSSLESS_QUALITY = 80;

export class SharpWebpCodec extends WebpCodec {
  async encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array> {
    const { effort, metadata } = options;
    checkEncode(WebpCodec, pixels, options);
    const webp = await openPixels(pixels)
      .webp({ ...optionsOf(options), effort })
      .toBuffer();
    return metadata ? withWebpMetadata(webp, metadata) : webp;
  }

  decode(webp: Uint8Array): Promise<Pixels> {
    return decodeResult(webp);
  }
}

function optionsOf({ mode, quality }: WebpEncodeOptions): WebpOptions {
  switch (mode) {
    case 'lossy':
      return { quality, smartSubsample: true, alphaQuality: 100 };
    case 'near-lossless':
      return { quality, nearLossless: true };
    case 'lossless':
      return { quality: LOSSLESS_QUALITY, lossless: true };
  }
}
