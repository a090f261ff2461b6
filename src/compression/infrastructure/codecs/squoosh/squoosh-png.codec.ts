/** PNG through pngjs for pixels and oxipng as WebAssembly for size. There is no quantiser: PNG stays lossless. */
import { PNG } from 'pngjs';
import { PngCodec, type DecodeOptions } from '../../../application/codecs.port';
import type { Effort } from '../../../domain/compression-policy';
import { uprightSize } from '../../../domain/dimensions';
import type { Pixels } from '../../../domain/pixels';
import { readPngStructure } from '../../../formats/png/png-structure';
import { refusing } from '../refusing';
import { checkDataLength } from './png-data-length';
import { scaled, turnedUpright, type Raster } from './raster';
import type { SquooshModules } from './squoosh-modules';

/** Levels of oxipng, 0..6: 2 is its own default. */
const OXIPNG_LEVEL: Readonly<Record<Effort, number>> = { fast: 1, balanced: 2, max: 4 };
/** PNG's colour types (W3C PNG, 11.2.1). */
const GREY = 0;
const GREY_ALPHA = 4;
const RGB = 2;
const RGB_ALPHA = 6;

export class SquooshPngCodec extends PngCodec {
  constructor(private readonly modules: SquooshModules) {
    super();
  }

  async transform(png: Uint8Array, { orientation, size }: DecodeOptions): Promise<Uint8Array> {
    return refusing('PNG', async () => {
      const stored = await readRgba(png);
      const isGrey = isGreyFile(png);
      const sized = size ? scaled(stored, uprightSize(size, orientation)) : stored;
      return writeRgba(turnedUpright(sized, orientation), isGrey);
    });
  }

  async decode(png: Uint8Array): Promise<Pixels> {
    return refusing('PNG', async () => {
      const { width, height, data } = await readRgba(png, 8);
      return { width, height, channels: 4 as const, data: data as Uint8Array };
    });
  }

  quantise(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async optimise(png: Uint8Array, effort: Effort = 'balanced'): Promise<Uint8Array> {
    return refusing('PNG', async () => {
      const optimised = await this.modules.optimisePng(new Uint8Array(png).buffer, {
        level: OXIPNG_LEVEL[effort],
      });
      const smaller = new Uint8Array(optimised);
      // This oxipng turns grey pictures of three channels into grey files, beside which a profile of RGB is void.
      return isGreyFile(smaller) !== isGreyFile(png) && hasProfile(png) ? png : smaller;
    });
  }

  async arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    return refusing('PNG', async () => {
      const [left, right] = [await readRgba(a), await readRgba(b)].map(asSixteenBits);
      return left.length === right.length && left.every((sample, i) => sample === right[i]);
    });
  }
}

/** RGBA of 16 bits where the file has them and they are asked for, else of 8. */
async function readRgba(png: Uint8Array, mostBits = 16): Promise<Raster> {
  const structure = readPngStructure(png);
  await checkDataLength(structure);
  const skipRescale = structure.bitDepth === 16 && mostBits === 16;
  const { width, height, data } = PNG.sync.read(Buffer.from(png), { skipRescale });
  return { width, height, channels: 4, data };
}

function asSixteenBits({ data }: Raster): Uint16Array {
  return data instanceof Uint16Array ? data : Uint16Array.from(data, (sample) => sample * 257);
}

function isGreyFile(png: Uint8Array): boolean {
  return [GREY, GREY_ALPHA].includes(readPngStructure(png).colourType);
}

function hasProfile(png: Uint8Array): boolean {
  return readPngStructure(png).colourChunks.some(({ type }) => type === 'iCCP');
}

function writeRgba({ width, height, data }: Raster, isGrey: boolean): Uint8Array {
  const most = data instanceof Uint16Array ? 65535 : 255;
  const isOpaque = data.every((sample, i) => i % 4 !== 3 || sample === most);
  const png = new PNG({ width, height });
  png.data = data instanceof Uint16Array ? (data as unknown as Buffer) : Buffer.from(data.buffer);
  return PNG.sync.write(png, {
    inputColorType: RGB_ALPHA,
    inputHasAlpha: true,
    bitDepth: most === 255 ? 8 : 16,
    colorType: isGrey ? (isOpaque ? GREY : GREY_ALPHA) : isOpaque ? RGB : RGB_ALPHA,
    deflateLevel: 1,
  });
}
