/**
 * The JPEG codec of the native engine: jpegli encodes, libvips (sharp) decodes, MozJPEG (@napi-rs/image)
 * recodes losslessly. The decoder is not the encoder's, so a faulty file of the encoder is noticed before it
 * is delivered.
 */
import { compressJpeg as transcode, Transformer } from '@napi-rs/image';
import type { JpegOptions } from 'sharp';
import {
  JpegCodec,
  type FormerCoding,
  type JpegDecodeOptions,
  type JpegEncodeOptions,
} from '../../../application/codecs.port';
import type { Dimensions } from '../../../domain/dimensions';
import { MOZJPEG_TABLES } from '../../../domain/history/quantization-tables';
import type { ChromaSubsampling, Pixels } from '../../../domain/pixels';
import { refuseJpegOnFailure } from '../refuse-on-failure';
import { openPixels, openPlainCmyk, openCropped, openUpright, readPixels, SCALED } from './sharp-pipeline';
import { readLumaSteps } from '../../../formats/jpeg/jpeg-structure';
import { JpegliEncoder } from './jpegli-encoder';

/** Options that determine the pixels. The scan order, set by `progressive`, changes only the size. */
const MOZJPEG = { trellisQuantisation: true, overshootDeringing: true, quantisationTable: 3 } as const;
const DELIVERY = {
  // Without scan optimization, which takes 40% of the time and saves about 2.5% of the bytes.
  fast: { ...MOZJPEG, progressive: true },
  balanced: { mozjpeg: true },
  max: { mozjpeg: true },
} as const;
/** Numbers of MozJPEG's tables. Here the engine is MozJPEG itself; JpegliJpegCodec handles its own family before. */
const TABLE_NUMBER: Readonly<Record<FormerCoding['family'], number>> = { standard: 0, mozjpeg: 3, engine: 3 };

/** Replaces jpegli if that cannot be loaded. */
export class SharpJpegCodec extends JpegCodec {
  async decode(jpeg: Uint8Array, options: JpegDecodeOptions): Promise<Pixels> {
    return refuseJpegOnFailure(jpeg, async () => {
      const { storedSize, components } = options.header;
      const isGrey = components.length === 1;
      const open = { ...options, storedSize };
      const openLater = options.toSrgb === 'plain' ? openPlainCmyk : options.crop && openCropped;
      // If possible, do not await anything first: the caller prepares something else while libvips decodes.
      const pipeline = openLater ? await openLater(jpeg, open) : openUpright(jpeg, open);
      const upright = pipeline.toColourspace(isGrey ? 'b-w' : 'srgb');
      // With alpha if the pixels will be encoded, because the encoder takes four bytes per pixel.
      return readPixels(isGrey || !options.toEncode ? upright : upright.ensureAlpha());
    });
  }

  /** Runs in this thread: for a small image, a sharp pipeline costs more than decoding. */
  override decodeTrial(jpeg: Uint8Array, { width, height }: Dimensions): Promise<Pixels> {
    const data = new Transformer(jpeg).rawPixelsSync();
    const channels = (data.length / (width * height)) as Pixels['channels'];
    return Promise.resolve({ width, height, channels, data });
  }

  scale(pixels: Pixels, size: Dimensions): Promise<Pixels> {
    return readPixels(openPixels(pixels).resize(size.width, size.height, SCALED));
  }

  async encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, purpose, effort = 'balanced' } = options;
    return writeJpeg(pixels, chroma, { quality, ...(purpose === 'delivery' ? DELIVERY[effort] : MOZJPEG) });
  }

  lumaSteps(quality: number): readonly number[] {
    return MOZJPEG_TABLES.stepsAt(quality);
  }

  async encodeWithFormerTables(
    pixels: Pixels,
    { family, quality, chroma }: FormerCoding,
    purpose: JpegEncodeOptions['purpose'] = 'delivery',
  ): Promise<Uint8Array> {
    const isDelivered = purpose === 'delivery';
    const scans = { progressive: isDelivered, optimiseScans: isDelivered };
    return writeJpeg(pixels, chroma, { quality, quantisationTable: TABLE_NUMBER[family], ...scans });
  }

  async recodeLosslessly(jpeg: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      return await transcode(jpeg, { quality: 100, optimizeScans: true });
    } catch {
      // The transcoder does not support arithmetic coding, 12 bits or lossless JPEG.
      return undefined;
    }
  }
}

function writeJpeg(
  pixels: Pixels,
  chromaSubsampling: ChromaSubsampling,
  options: JpegOptions,
): Promise<Buffer> {
  return openPixels(pixels)
    .removeAlpha()
    .jpeg({ chromaSubsampling, ...options })
    .toBuffer();
}

const TINY: Pixels = { width: 8, height: 8, channels: 4, data: new Uint8Array(8 * 8 * 4) };

/** Encodes with jpegli, which adapts the quantization to each block. Everything else is inherited. */
export class JpegliJpegCodec extends SharpJpegCodec {
  private readonly knownSteps = new Map<string, readonly number[]>();

  constructor(private readonly jpegli: JpegliEncoder) {
    super();
  }

  override async encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, purpose, effort } = options;
    const jpeg = this.jpegli.encode(pixels, { quality, chroma, isProgressive: purpose === 'delivery' });
    // Optimizing the scan order saves another 1% but takes longer than the encode.
    if (purpose === 'trial' || effort !== 'max') return jpeg;
    const recoded = await this.recodeLosslessly(jpeg);
    return recoded && recoded.length < jpeg.length ? recoded : jpeg;
  }

  override lumaSteps(quality: number, chroma: ChromaSubsampling = '4:2:0'): readonly number[] {
    const key = `${chroma} ${quality}`;
    const known = this.knownSteps.get(key);
    if (known) return known;
    const steps = readLumaSteps(this.jpegli.encode(TINY, { quality, chroma, isProgressive: false }));
    if (!steps) throw new Error('jpegli wrote no quantization table.');
    this.knownSteps.set(key, steps);
    return steps;
  }

  override async encodeWithFormerTables(
    pixels: Pixels,
    former: FormerCoding,
    purpose: JpegEncodeOptions['purpose'] = 'delivery',
  ): Promise<Uint8Array> {
    if (former.family !== 'engine') return super.encodeWithFormerTables(pixels, former, purpose);
    const { quality, chroma } = former;
    const isProgressive = purpose === 'delivery';
    return this.jpegli.encode(pixels, { quality, chroma, isProgressive, isAdaptive: false });
  }
}
