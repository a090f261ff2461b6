/**
 * What the recipes need from an image library. One engine implements the lot; an engine does as it is told
 * and decides nothing about quality, size or metadata.
 *
 * Errors: a file that cannot be decoded is an ImageRefused (`undecodable_image`); anything else thrown is a bug.
 * Same input and arguments give the same bytes.
 */

import type { Effort } from '../domain/compression-policy';
import { sameSize, type Dimensions, type Orientation } from '../domain/dimensions';
import type { EncoderQuality } from '../domain/history/quantization-tables';
import type { ChromaSubsampling, Pixels } from '../domain/pixels';

export interface DecodeOptions {
  /** Applied to the pixels: the result is upright. */
  readonly orientation: Orientation;
  /** Upright size to scale down to; the file's own size when absent. */
  readonly size?: Dimensions;
}

export interface JpegDecodeOptions extends DecodeOptions {
  /** Converts through the embedded profile: the only way to show CMYK as RGB. */
  readonly toSrgb?: boolean;
  /** Grey or RGBA, which `encode` takes as it is; decoding to RGB is faster. */
  readonly toEncode?: boolean;
}

export interface JpegEncodeOptions {
  /** 1..100, on libjpeg's scale. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /**
   * `delivery` spends what it takes on few bytes (progressive, optimized coding); `trial` gives the same pixels as fast
   * as it can, in some 5 % more bytes.
   */
  readonly purpose: 'trial' | 'delivery';
  /** What `delivery` may cost; every effort gives the same pixels. */
  readonly effort?: Effort;
}

/** A coding that an image has been through. */
export interface FormerCoding extends EncoderQuality {
  readonly chroma: ChromaSubsampling;
}

export abstract class JpegCodec {
  /** Decodes to grey (1 channel), RGB, or opaque RGBA samples as stored, without any colour management. */
  abstract decode(jpeg: Uint8Array, options: JpegDecodeOptions): Promise<Pixels>;

  /**
   * Decodes what `encode` has made of a small image, for a score that only guides a search: grey, RGB or RGBA samples of
   * the given size. Faster than `decode` where the engine can; samples then differ from those of `decode` by a few steps.
   */
  async decodeTrial(jpeg: Uint8Array, size: Dimensions): Promise<Pixels> {
    const pixels = await this.decode(jpeg, { orientation: 1 });
    if (!sameSize(pixels, size)) throw new RangeError('A trial has another size than what was encoded');
    return pixels;
  }

  /** Encodes grey, RGB or RGBA, whose alpha is ignored. Writes no metadata. */
  abstract encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array>;

  /** The luma quantization steps that `encode` writes at a quality: 64 in zigzag order. */
  abstract lumaSteps(quality: number, chroma: ChromaSubsampling): readonly number[];

  /**
   * Codes pixels with the quantization tables of a former coding, every coefficient rounded to the nearest step, so that
   * an image that was coded so before loses next to nothing. Undefined when the engine cannot do it.
   */
  abstract encodeWithFormerTables(pixels: Pixels, former: FormerCoding): Promise<Uint8Array | undefined>;

  /**
   * Codes the same coefficients anew (optimised, progressive): pixel-equal, without metadata but for the
   * Adobe marker that gives CMYK its meaning. Undefined when the engine cannot handle this kind of JPEG.
   */
  abstract recodeLosslessly(jpeg: Uint8Array): Promise<Uint8Array | undefined>;
}

export abstract class PngCodec {
  /**
   * Makes a PNG upright and scales it, keeping alpha, and 16-bit samples unless `isReduced`, which makes them 8-bit
   * ones; ancillary chunks are dropped.
   */
  abstract transform(
    png: Uint8Array,
    options: DecodeOptions & { readonly isReduced?: boolean },
  ): Promise<Uint8Array>;

  /** Decodes to 8-bit samples as stored, without any colour management; alpha as a channel, not premultiplied. */
  abstract decode(png: Uint8Array): Promise<Pixels>;

  /**
   * The same image in at most 256 colours, without ancillary chunks but for transparency; undefined when the engine
   * has no quantiser.
   * @param paletteQuality how close to the source, 0..100; 100 uses all of the palette.
   */
  abstract quantise(
    png: Uint8Array,
    paletteQuality: number,
    effort?: Effort,
  ): Promise<Uint8Array | undefined>;

  /** The zlib stream (RFC 1950) of some bytes, as small as the effort makes it. */
  abstract deflate(bytes: Uint8Array, effort: Effort): Promise<Uint8Array>;

  /** The same pixels in fewer bytes; ancillary chunks stay as they are. */
  abstract optimise(png: Uint8Array, effort?: Effort): Promise<Uint8Array>;

  /** Whether two PNG files show the same samples: colour, depth up to 16 bits, and alpha. */
  abstract arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean>;
}

export interface CodecEngine {
  readonly jpeg: JpegCodec;
  readonly png: PngCodec;
  /** What an operator should know about how the engine was loaded, one sentence each; logged at start. */
  readonly notices?: readonly string[];
}

/** The engines that a deployment can choose from. */
export const ENGINE_NAMES = ['native', 'squoosh'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
