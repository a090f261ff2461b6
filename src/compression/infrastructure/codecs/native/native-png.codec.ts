/**
 * The PNG codec of the native engine: libvips (sharp) decodes and encodes, oxipng (@napi-rs/image) optimizes,
 * libdeflate deflates.
 */
import { losslessCompressPng, type PngRowFilter } from '@napi-rs/image';
import sharp from 'sharp';
import { PngCodec, type TransformOptions } from '../../../application/codecs.port';
import type { Effort } from '../../../domain/compression-policy';
import type { IndexedImage } from '../../../domain/palette/indexed-image';
import type { Pixels } from '../../../domain/pixels';
import { allRoundedToEight, withEightBits } from '../../../formats/png/png-depth';
import { readIndexedPng } from '../../../formats/png/png-indexed';
import { withoutMetadata } from '../../../formats/png/png-metadata';
import { findData, withImageData } from '../../../formats/png/png-chunks';
import { bytesOfRows, inflatedRows } from '../../../formats/png/png-raw-rows';
import { isPalette, readPngHeader, readPngStructure } from '../../../formats/png/png-structure';
import { deflate, deflateRepetitive, isRepetitive, MOST_REPETITIVE_BYTES } from '../libdeflate';
import { refuseOnFailure } from '../refuse-on-failure';
import { openCropped, openUpright, readPixels, writtenPng } from './sharp-pipeline';

/** Row filters by number (W3C PNG, 9.2). The package declares an enum for them but does not export it at run time. */
const rowFilters = (...numbers: number[]) => ({ filter: numbers as unknown[] as PngRowFilter[] });
/** Row filters to try; without a list, oxipng chooses. */
const FILTERS: Readonly<Record<Effort, { readonly filter?: PngRowFilter[] }>> = {
  fast: rowFilters(0),
  balanced: {},
  max: rowFilters(0, 1, 2, 3, 4),
};

/** sharp's, 1..10. More takes longer, and palettes are refined afterwards. */
const QUANTISER_EFFORT = 4;

export class NativePngCodec extends PngCodec {
  async transform(png: Uint8Array, options: TransformOptions): Promise<Uint8Array> {
    return refuseOnFailure('PNG', async () => {
      const { storedSize } = readPngHeader(png);
      const written = await writtenPng(await openCropped(png, { ...options, storedSize }), 1);
      // libvips adds a pHYs chunk that the source did not have.
      const image = withoutMetadata(readPngStructure(written));
      // libvips would drop the low byte.
      return (options.isReduced && withEightBits(image, true)) || image;
    });
  }

  async decode(png: Uint8Array): Promise<Pixels> {
    return refuseOnFailure('PNG', async () => {
      const { storedSize, bitDepth } = readPngHeader(png);
      if (bitDepth === 16) {
        const { buffer, byteOffset, length } = await samples(png);
        const data = allRoundedToEight(new Uint16Array(buffer, byteOffset, length / 2));
        return { ...storedSize, channels: 4 as const, data };
      }
      // As RGBA, because libvips drops the alpha of a grey image if it is asked for grey.
      const pipeline = openUpright(png, { storedSize, orientation: 1 }).toColourspace('srgb').ensureAlpha();
      return readPixels(pipeline);
    });
  }

  /** By libimagequant 2 (BSD). */
  async quantise({ width, height, channels, data }: Pixels): Promise<IndexedImage | undefined> {
    const png = await sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
      .png({ palette: true, quality: 100, dither: 0, effort: QUANTISER_EFFORT, compressionLevel: 0 })
      .toBuffer();
    return readIndexedPng(png);
  }

  override readonly deflate = deflate;

  async optimise(png: Uint8Array, effort: Effort = 'balanced'): Promise<Uint8Array> {
    return refuseOnFailure('PNG', async () => {
      const optimised = await losslessCompressPng(png, {
        strip: false,
        force: false,
        // Indices have no gradients, so filters take time and usually add bytes.
        ...(isPalette(png) && effort !== 'max' ? rowFilters(0) : FILTERS[effort]),
      });
      return redeflated(optimised, effort) ?? optimised;
    });
  }

  async arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    return refuseOnFailure('PNG', async () => {
      const left = await samples(a);
      const right = await samples(b);
      return left.equals(right);
    });
  }
}

/** oxipng uses libdeflate, too, but spends no more on repetitive rows. Returns undefined if that does not make the image smaller. */
function redeflated(png: Uint8Array, effort: Effort) {
  const structure = readPngStructure(png);
  const { chunks } = structure;
  const data = findData(chunks, 'IDAT');
  const bytes = data.reduce((sum, { length }) => sum + length, 0);
  const length = bytesOfRows(structure);
  // At \`fast\`, the effort above does not beat oxipng.
  const isWorthIt = effort !== 'fast' && length <= MOST_REPETITIVE_BYTES && isRepetitive(length, bytes);
  const rows = isWorthIt ? inflatedRows(structure, data) : undefined;
  const smaller = rows && deflateRepetitive(rows, effort);
  return smaller && smaller.length < bytes ? withImageData(chunks, smaller) : undefined;
}

/** 16-bit RGBA, so that files of different colour types and depths can be compared. */
function samples(png: Uint8Array): Promise<Buffer> {
  return openUpright(png, { storedSize: readPngHeader(png).storedSize, orientation: 1 })
    .toColourspace('rgb16')
    .ensureAlpha()
    .raw({ depth: 'ushort' })
    .toBuffer();
}
