/**
 * JPEG through MozJPEG as WebAssembly; CMYK, which that decoder refuses, through jpeg-js. There is no transcoder, so
 * the lossless rung of the ladder is missing, and arithmetic coding and 12 bits are refused.
 */
import jpegJs from 'jpeg-js';
import { JpegCodec, type DecodeOptions, type JpegEncodeOptions } from '../../../application/codecs.port';
import { uprightSize, type Dimensions } from '../../../domain/dimensions';
import type { Pixels } from '../../../domain/pixels';
import { readJpegStructure } from '../../../formats/jpeg/jpeg-structure';
import { refusingJpeg } from '../refusing';
import { scaled, turnedUpright, type Raster } from './raster';
import type { SquooshModules } from './squoosh-modules';

/** Numbers of the encoder's own enumerations. */
const COLOUR_SPACE = { grey: 1, yCbCr: 3 } as const;
const CHROMA_STEP = { '4:2:0': 2, '4:4:4': 1 } as const;
/**
 * What jpeg-js may take, in bytes as it counts them (the process grows by some 2.5 times as much): it needs 28 a pixel
 * of CMYK, and takes them again for every frame header that a damaged file repeats.
 */
const JPEG_JS_BYTES_PER_PIXEL = 36;
const JPEG_JS_LEAST_BYTES = 16_000_000;
const JPEG_JS_MOST_BYTES = 640_000_000;

export class SquooshJpegCodec extends JpegCodec {
  constructor(private readonly modules: SquooshModules) {
    super();
  }

  async decode(jpeg: Uint8Array, { orientation, size }: DecodeOptions): Promise<Pixels> {
    return refusingJpeg(jpeg, async () => {
      const { components, stored } = readJpegStructure(jpeg);
      const rgba = components.length === 4 ? decodeCmyk(jpeg, stored) : await this.decodeRgba(jpeg);
      const channels = components.length === 1 ? 1 : 3;
      // Scaled first: what follows then has a picture of the size to deliver to copy, not one of the size that came.
      const sized = size ? scaled(rgba, uprightSize(size, orientation)) : rgba;
      const { width, height, data } = turnedUpright(withoutAlpha(sized, channels), orientation);
      return { width, height, channels, data: data as Uint8Array };
    });
  }

  async encode(pixels: Pixels, { quality, chroma, purpose }: JpegEncodeOptions): Promise<Uint8Array> {
    const { width, height, channels } = pixels;
    const isGrey = channels === 1;
    const image = { data: withOpaqueAlpha(pixels), width, height };
    const encoded = await this.modules.encodeJpeg(image, {
      quality,
      progressive: purpose === 'delivery',
      color_space: isGrey ? COLOUR_SPACE.grey : COLOUR_SPACE.yCbCr,
      auto_subsample: false,
      chroma_subsample: CHROMA_STEP[chroma],
    });
    return new Uint8Array(encoded);
  }

  recodeLosslessly(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private async decodeRgba(jpeg: Uint8Array): Promise<Raster> {
    this.modules.takeWarnings();
    const { width, height, data } = await this.modules.decodeJpeg(new Uint8Array(jpeg).buffer);
    // The decoder fills what is missing with grey, and says so only here.
    const isCutOff = this.modules.takeWarnings().some((line) => /premature end/i.test(line));
    if (isCutOff) throw new Error('The JPEG ends before its picture does.');
    return { width, height, channels: 4, data: new Uint8Array(data.buffer) };
  }
}

/** Inverted or not as Adobe's marker says; without the profile, which jpeg-js does not read. */
function decodeCmyk(jpeg: Uint8Array, stored: Dimensions): Raster {
  const bytes = JPEG_JS_LEAST_BYTES + stored.width * stored.height * JPEG_JS_BYTES_PER_PIXEL;
  const { width, height, data } = jpegJs.decode(jpeg, {
    useTArray: true,
    tolerantDecoding: false,
    maxMemoryUsageInMB: Math.min(bytes, JPEG_JS_MOST_BYTES) / (1024 * 1024),
    // Pixels are limited by the header, before any codec is asked.
    maxResolutionInMP: Infinity,
  });
  return { width, height, channels: 4, data };
}

function withoutAlpha({ width, height, data }: Raster, channels: 1 | 3): Raster {
  const out = new Uint8Array(width * height * channels);
  for (let i = 0, p = 0; i < out.length; i += channels, p += 4) {
    for (let c = 0; c < channels; c++) out[i + c] = data[p + c];
  }
  return { width, height, channels, data: out };
}

function withOpaqueAlpha({ width, height, channels, data }: Pixels): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  const [green, blue] = channels >= 3 ? [1, 2] : [0, 0];
  for (let i = 0, p = 0; i < rgba.length; i += 4, p += channels) {
    rgba[i] = data[p];
    rgba[i + 1] = data[p + green];
    rgba[i + 2] = data[p + blue];
  }
  return rgba;
}
