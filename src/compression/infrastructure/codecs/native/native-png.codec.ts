/** PNG through oxipng (@napi-rs/image) for size, and libvips (sharp) for pixels. */
import { losslessCompressPng } from '@napi-rs/image';
import { PngCodec, type DecodeOptions } from '../../../application/codecs.port';
import { openUpright, refusing } from './sharp-pipeline';

export class NativePngCodec extends PngCodec {
  async transform(png: Uint8Array, options: DecodeOptions): Promise<Uint8Array> {
    return refusing('PNG', async () => {
      const pipeline = openUpright(png, options);
      const { depth, channels } = await pipeline.metadata();
      const isGrey = channels <= 2;
      const colourspace = depth === 'ushort' ? (isGrey ? 'grey16' : 'rgb16') : isGrey ? 'b-w' : 'srgb';
      return pipeline.toColourspace(colourspace).png({ compressionLevel: 1 }).toBuffer();
    });
  }

  async optimise(png: Uint8Array): Promise<Uint8Array> {
    return refusing('PNG', () => losslessCompressPng(png, { strip: false, force: false }));
  }

  async arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    return refusing('PNG', async () => {
      const left = await samples(a);
      const right = await samples(b);
      return left.equals(right);
    });
  }
}

/** 16-bit RGBA, so that files of different colour types and depths can be compared. */
function samples(png: Uint8Array): Promise<Buffer> {
  return openUpright(png, { orientation: 1 })
    .toColourspace('rgb16')
    .ensureAlpha()
    .raw({ depth: 'ushort' })
    .toBuffer();
}
