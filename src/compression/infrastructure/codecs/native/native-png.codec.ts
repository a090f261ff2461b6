/** PNG through oxipng (@napi-rs/image) for size, and libvips (sharp) for pixels. */
import { losslessCompressPng, type PngRowFilter } from '@napi-rs/image';
import { PngCodec, type DecodeOptions } from '../../../application/codecs.port';
import type { Effort } from '../../../domain/compression-policy';
import type { Pixels } from '../../../domain/pixels';
import { withoutMetadata } from '../../../formats/png/png-metadata';
import { readPngStructure } from '../../../formats/png/png-structure';
import { refusing } from '../refusing';
import { openUpright } from './sharp-pipeline';

/** Row filters by their numbers (W3C PNG, 9.2): the package declares names for them, but ships none. */
const rowFilters = (...numbers: number[]) => ({ filter: numbers as unknown[] as PngRowFilter[] });
/** Filters to try; by default oxipng chooses. */
const FILTERS: Readonly<Record<Effort, { readonly filter?: PngRowFilter[] }>> = {
  fast: rowFilters(0),
  balanced: {},
  max: rowFilters(0, 1, 2, 3, 4),
};

export class NativePngCodec extends PngCodec {
  async transform(png: Uint8Array, options: DecodeOptions): Promise<Uint8Array> {
    return refusing('PNG', async () => {
      const pipeline = openUpright(png, options);
      const { depth, channels } = await pipeline.metadata();
      const isGrey = channels <= 2;
      const colourspace = depth === 'ushort' ? (isGrey ? 'grey16' : 'rgb16') : isGrey ? 'b-w' : 'srgb';
      const written = await pipeline.toColourspace(colourspace).png({ compressionLevel: 1 }).toBuffer();
      // libvips adds a resolution that the source never had.
      return withoutMetadata(written, readPngStructure(written));
    });
  }

  async decode(png: Uint8Array): Promise<Pixels> {
    return refusing('PNG', async () => {
      // As RGBA: libvips drops the alpha of a grey picture when it is asked for grey.
      const pipeline = openUpright(png, { orientation: 1 }).toColourspace('srgb').ensureAlpha();
      const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
      return { width: info.width, height: info.height, channels: 4, data };
    });
  }

  /** libimagequant 2 (BSD). Without dithering, whose noise costs more bytes than it hides at these finenesses. */
  async quantise(png: Uint8Array, fineness: number): Promise<Uint8Array> {
    const quantised = await refusing('PNG', () =>
      openUpright(png, { orientation: 1 })
        .png({ palette: true, quality: fineness, dither: 0, effort: 7, compressionLevel: 1 })
        .toBuffer(),
    );
    return withoutMetadata(quantised, readPngStructure(quantised));
  }

  async optimise(png: Uint8Array, effort: Effort = 'balanced'): Promise<Uint8Array> {
    return refusing('PNG', () =>
      losslessCompressPng(png, { strip: false, force: false, ...FILTERS[effort] }),
    );
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
