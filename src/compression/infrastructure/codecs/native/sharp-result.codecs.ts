/**
 * AVIF and WebP by libvips (sharp): libaom, tuned for still images (`iq`), and libwebp, each in one thread.
 * AVIF keeps chroma at full resolution.
 */
import type { ResultCodec } from '../../../application/codecs.port';
import { withAvifMetadata } from '../../../formats/avif/avif-metadata';
import { withWebpMetadata } from '../../../formats/webp/webp-file';
import { decodeResult, openPixels } from './sharp-pipeline';

const avif: ResultCodec = {
  async encode(pixels, { quality, effort, metadata = {} }) {
    const options = { quality, effort, chromaSubsampling: '4:4:4', tune: 'iq', bitdepth: 8 } as const;
    return withAvifMetadata(await openPixels(pixels).avif(options).toBuffer(), metadata);
  },
  decode: decodeResult,
};

/** libwebp reads the quality of a lossless image as effort; more than this takes much longer and saves little. */
const LOSSLESS_QUALITY = 80;

const webp: ResultCodec = {
  async encode(pixels, { quality, effort, isLossless, metadata = {} }) {
    const coding = isLossless
      ? { quality: LOSSLESS_QUALITY, lossless: true }
      : { quality, smartSubsample: true, alphaQuality: 100 };
    const webp = await openPixels(pixels)
      .webp({ effort, ...coding })
      .toBuffer();
    return withWebpMetadata(webp, metadata);
  },
  decode: decodeResult,
};

export function createSharpResultCodecs() {
  return { avif: { ...avif }, webp: { ...webp } };
}
