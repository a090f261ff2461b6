/**
 * What the recipes need from an image library. One engine implements the lot; an engine does as it is told
 * and decides nothing about quality, size or metadata.
 *
 * Errors: a file that cannot be decoded is an ImageRefused (`undecodable_image`); anything else thrown is a bug.
 * Same input and arguments give the same bytes.
 */

import type { Effort } from '../domain/compression-policy';
import type { Dimensions, Orientation } from '../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../domain/pixels';

export interface DecodeOptions {
  /** Applied to the pixels: the result is upright. */
  readonly orientation: Orientation;
  /** Upright size to scale down to; the file's own size when absent. */
  readonly size?: Dimensions;
}

export interface JpegEncodeOptions {
  /** MozJPEG's scale, 1..100. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /**
   * `delivery` spends what it takes on few bytes (progressive, optimised scans); `search` gives the same pixels
   * as fast as it can; `draft` too, unless the codec has drafts.
   */
  readonly purpose: 'draft' | 'search' | 'delivery';
  /** What `delivery` may cost; all efforts give the same pixels. */
  readonly effort?: Effort;
}

export abstract class JpegCodec {
  /**
   * Whether `draft` gives other pixels than `search`, because that is much faster: plainly quantised, without trellis,
   * which loses some 7 % less in some 10 % more bytes.
   */
  readonly hasDrafts: boolean = false;

  /**
   * Decodes to grey (1 channel) or RGB (3) samples as stored, without any colour management, except that
   * `toSrgb` converts through the embedded profile (the only way to show CMYK as RGB).
   */
  abstract decode(jpeg: Uint8Array, options: DecodeOptions & { readonly toSrgb?: boolean }): Promise<Pixels>;

  /** Encodes without metadata. */
  abstract encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array>;

  /**
   * Codes the same coefficients anew (optimised, progressive): pixel-equal, without metadata but for the
   * Adobe marker that gives CMYK its meaning. Undefined when the engine cannot handle this kind of JPEG.
   */
  abstract recodeLosslessly(jpeg: Uint8Array): Promise<Uint8Array | undefined>;
}

export abstract class PngCodec {
  /** Makes a PNG upright and scales it, keeping alpha and 16-bit samples; ancillary chunks are dropped. */
  abstract transform(png: Uint8Array, options: DecodeOptions): Promise<Uint8Array>;

  /** Decodes to 8-bit samples as stored, without any colour management; alpha as a channel, not premultiplied. */
  abstract decode(png: Uint8Array): Promise<Pixels>;

  /**
   * The same picture in at most 256 colours, without ancillary chunks but for transparency; undefined when the engine
   * has no quantiser.
   * @param fineness how close to the source, 0..100; 100 uses all of the palette.
   */
  abstract quantise(png: Uint8Array, fineness: number): Promise<Uint8Array | undefined>;

  /** The same pixels in fewer bytes; ancillary chunks stay as they are. */
  abstract optimise(png: Uint8Array, effort?: Effort): Promise<Uint8Array>;

  /** Whether two PNG files show the same samples: colour, depth up to 16 bits, and alpha. */
  abstract arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean>;
}

export interface CodecEngine {
  readonly jpeg: JpegCodec;
  readonly png: PngCodec;
}

/** The engines that a deployment can choose from. */
export const ENGINE_NAMES = ['native', 'squoosh'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
