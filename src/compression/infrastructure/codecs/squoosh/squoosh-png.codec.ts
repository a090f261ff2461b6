/**
 * The PNG codec of the portable engine: pngjs decodes and encodes, oxipng optimizes. Without a quantizer
 * there are no palettes, so PNGs are compressed without loss.
 */
import { findData } from '../../../formats/png/png-chunks';
import { createInflate } from 'node:zlib';
import { PNG } from 'pngjs';
import { PngCodec, type TransformOptions } from '../../../application/codecs.port';
import type { Effort } from '../../../domain/compression-policy';
import { uprightSize } from '../../../domain/dimensions';
import type { Pixels, Raster } from '../../../domain/pixels';
import {
  isGreyFile,
  readPngHeader,
  readPngStructure,
  type PngStructure,
} from '../../../formats/png/png-structure';
import { deflate } from '../libdeflate';
import { refuseOnFailure } from '../refuse-on-failure';
import { resizeTo, rotateUpright } from '../raster';
import type { SquooshModules } from './squoosh-modules';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bytesOfRows } from '../../../formats/png/png-raw-rows';

/** oxipng levels, 0..6; its default is 2. */
const OXIPNG_LEVEL: Readonly<Record<Effort, number>> = { fast: 1, balanced: 2, max: 4 };
/** Colour types (W3C PNG, 11.2.1). */
const GREY = 0;
const GREY_ALPHA = 4;
const RGB = 2;
const RGB_ALPHA = 6;

export class SquooshPngCodec extends PngCodec {
  constructor(private readonly modules: SquooshModules) {
    super();
  }

  async transform(
    png: Uint8Array,
    { orientation, size, crop, isReduced = false }: TransformOptions,
  ): Promise<Uint8Array> {
    return refuseOnFailure('PNG', async () => {
      const stored = await readRgba(png, isReduced ? 8 : 16);
      const isGrey = isGreyFile(readPngHeader(png));
      const sized = size ? resizeTo(stored, uprightSize(size, orientation), crop) : stored;
      return writeRgba(rotateUpright(sized, orientation), isGrey);
    });
  }

  async decode(png: Uint8Array): Promise<Pixels> {
    return refuseOnFailure('PNG', async () => {
      const { width, height, data } = await readRgba(png, 8);
      return { width, height, channels: 4 as const, data: data as Uint8Array };
    });
  }

  quantise(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override readonly deflate = deflate;

  async optimise(png: Uint8Array, effort: Effort = 'balanced'): Promise<Uint8Array> {
    return refuseOnFailure('PNG', () => {
      const smaller = this.modules.optimisePng(png, OXIPNG_LEVEL[effort]);
      // This version of oxipng turns grey RGB images into grey files, which make an RGB profile invalid.
      const [before, after] = [readPngStructure(png), readPngHeader(smaller)];
      const hasProfile = before.colourChunks.some(({ type }) => type === 'iCCP');
      return hasProfile && isGreyFile(after) !== isGreyFile(before) ? png : smaller;
    });
  }

  async arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    return refuseOnFailure('PNG', async () => {
      const [{ data: left }, { data: right }] = [await readRgba(a), await readRgba(b)];
      const [ofLeft, ofRight] = [left, right].map(scaleTo16Bits);
      return (
        left.length === right.length && left.every((sample, i) => sample * ofLeft === right[i] * ofRight)
      );
    });
  }
}

/** Returns 16-bit RGBA if the file has 16 bits and `maxBits` allows it, otherwise 8-bit RGBA. */
async function readRgba(png: Uint8Array, maxBits = 16): Promise<Raster> {
  const structure = readPngStructure(png);
  await checkDataLength(structure);
  const skipRescale = structure.bitDepth === 16 && maxBits === 16;
  const { width, height, data } = PNG.sync.read(Buffer.from(png), { skipRescale });
  return { width, height, channels: 4, data };
}

/** What a sample counts in 16 bits. */
const scaleTo16Bits = (data: Raster['data']) => (data instanceof Uint16Array ? 1 : 257);

function writeRgba({ width, height, data }: Raster, isGrey: boolean): Uint8Array {
  const maxValue = data instanceof Uint16Array ? 65535 : 255;
  const isOpaque = data.every((sample, i) => i % 4 !== 3 || sample === maxValue);
  const png = new PNG({ width, height });
  png.data = data instanceof Uint16Array ? (data as unknown as Buffer) : Buffer.from(data.buffer);
  return PNG.sync.write(png, {
    inputColorType: RGB_ALPHA,
    inputHasAlpha: true,
    bitDepth: maxValue === 255 ? 8 : 16,
    colorType: isGrey ? (isOpaque ? GREY : GREY_ALPHA) : isOpaque ? RGB : RGB_ALPHA,
    deflateLevel: 1,
  });
}

const PIECE_BYTES = 256 * 1024;

/**
 * Inflates and counts the data first, in pieces that are discarded. pngjs inflates all of it before it
 * compares it with the header: 4 MB may become 4 GB.
 * @throws Error when there are more or fewer bytes than the header requires
 */
async function checkDataLength(structure: PngStructure) {
  const expected = bytesOfRows(structure);
  const data = findData(structure.chunks, 'IDAT');
  let length = 0;
  await pipeline(
    Readable.from(data),
    createInflate({ chunkSize: PIECE_BYTES }),
    async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) {
        length += piece.length;
        if (length > expected) throw new Error('The PNG has more data than its header declares.');
      }
    },
  );
  if (length < expected) throw new Error('The PNG has less data than its header declares.');
}
