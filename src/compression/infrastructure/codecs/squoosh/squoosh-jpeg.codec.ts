/**
 * The JPEG codec of the portable engine: MozJPEG as WebAssembly, and jpeg-js for CMYK, which MozJPEG's
 * decoder refuses. There is no transcoder, so no lossless rewrite, and no arithmetic coding.
 */
import jpegJs from 'jpeg-js';
import { JpegCodec, type JpegDecodeOptions, type JpegEncodeOptions } from '../../../application/codecs.port';
import { uprightSize, type Dimensions } from '../../../domain/dimensions';
import { withoutRedundantChannels, type Pixels } from '../../../domain/pixels';
import { MOZJPEG_TABLES } from '../../../domain/history/quantization-tables';
import { refuseJpegOnFailure } from '../refuse-on-failure';
import { resizeTo, resize, rotateUpright } from '../raster';
import { rgbaImage, type SquooshModules } from './squoosh-modules';

const COLOUR_SPACE = { grey: 1, yCbCr: 3 } as const;
const CHROMA_STEP = { '4:2:0': 2, '4:4:4': 1 } as const;
/** As jpeg-js counts: 28 bytes per CMYK pixel for each frame header. The process grows by 2.5 times as much. */
const JPEG_JS_BYTES_PER_PIXEL = 36;
const JPEG_JS_MIN_BYTES = 16_000_000;
const JPEG_JS_MAX_BYTES = 640_000_000;

export class SquooshJpegCodec extends JpegCodec {
  /** CMYK is shown without its profile. */
  override readonly readsProfiles = false;

  constructor(private readonly modules: SquooshModules) {
    super();
  }

  async decode(jpeg: Uint8Array, { header, orientation, size, crop }: JpegDecodeOptions): Promise<Pixels> {
    return refuseJpegOnFailure(jpeg, async () => {
      const components = header.components.length;
      const rgba = components === 4 ? decodeCmyk(jpeg, header.storedSize) : await this.decodeRgba(jpeg);
      // Resize first, so that the next steps copy the smaller image.
      const sized = size ? resizeTo(rgba, uprightSize(size, orientation), crop) : rgba;
      return rotateUpright(components === 1 ? withoutRedundantChannels(sized, true) : sized, orientation);
    });
  }

  scale(pixels: Pixels, size: Dimensions): Promise<Pixels> {
    return Promise.resolve(resize(pixels, size));
  }

  async encode(pixels: Pixels, { quality, chroma, purpose }: JpegEncodeOptions): Promise<Uint8Array> {
    const isGrey = pixels.channels === 1;
    const encoded = await this.modules.encodeJpeg(rgbaImage(pixels), {
      quality,
      progressive: purpose === 'delivery',
      color_space: isGrey ? COLOUR_SPACE.grey : COLOUR_SPACE.yCbCr,
      auto_subsample: false,
      chroma_subsample: CHROMA_STEP[chroma],
    });
    return new Uint8Array(encoded);
  }

  lumaSteps(quality: number): readonly number[] {
    return MOZJPEG_TABLES.stepsAt(quality);
  }

  /** The module always applies trellis quantization, which would move coefficients off the former steps. */
  encodeWithFormerTables(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  recodeLosslessly(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private async decodeRgba(jpeg: Uint8Array): Promise<Pixels> {
    this.modules.takeWarnings();
    const { width, height, data } = await this.modules.decodeJpeg(new Uint8Array(jpeg).buffer);
    // The decoder fills missing data with grey and reports that only as a warning.
    const isTruncated = this.modules.takeWarnings().some((line) => /premature end/i.test(line));
    if (isTruncated) throw new Error('The JPEG is truncated.');
    return { width, height, channels: 4, data: new Uint8Array(data.buffer) };
  }
}

/** Decodes CMYK, inverted if the Adobe marker says so. jpeg-js ignores the colour profile. */
function decodeCmyk(jpeg: Uint8Array, stored: Dimensions): Pixels {
  const bytes = JPEG_JS_MIN_BYTES + stored.width * stored.height * JPEG_JS_BYTES_PER_PIXEL;
  const { width, height, data } = jpegJs.decode(jpeg, {
    useTArray: true,
    tolerantDecoding: false,
    maxMemoryUsageInMB: Math.min(bytes, JPEG_JS_MAX_BYTES) / (1024 * 1024),
    maxResolutionInMP: Infinity,
  });
  return { width, height, channels: 4, data };
}
