/** The AVIF codec of libvips (sharp): libaom encodes, tuned for still images (`iq`), in one thread. */
import { AvifCodec, checkEncode, type AvifEncodeOptions } from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withAvifMetadata } from '../../../formats/avif/avif-metadata';
import { decodeResult, openPixels } from './sharp-pipeline';

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
