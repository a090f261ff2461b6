/**
 * The ports to the encoders of result formats that the service does not accept. As in codecs.port.ts, a codec does as instructed
 * and decides nothing about quality, size or metadata.
 *
 * Errors: an image larger than the format allows, or an option out of its range, is a RangeError, thrown before anything
 * is encoded; any other error is a bug. The same input and arguments give the same bytes.
 */
import type { Dimensions } from '../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../domain/pixels';
import type { EmbeddedBlocks } from '../formats/embedded-blocks';

interface ResultEncodeOptions {
  /** Integer, 1..100. */
  readonly quality: number;
  /** The encoder's own scale, from 0. */
  readonly effort: number;
  /** Written unchanged. Its orientation must be 1 or absent, and a profile must be RGB (grey is stored as RGB). */
  readonly metadata?: EmbeddedBlocks;
}

/** `quality` is that of colour and alpha. `effort` (speed 9 to 0 of libaom) changes the pixels, so a quality is valid only for one effort. */
export interface AvifEncodeOptions extends ResultEncodeOptions {
  readonly chroma: ChromaSubsampling;
}

export abstract class AvifCodec {
  static readonly FORMAT = 'AVIF';
  /** Largest width and height in pixels. */
  static readonly MAX_SIDE_PX = 16_384;
  static readonly MAX_EFFORT = 9;

  /** Encodes grey, RGB or RGBA pixels with 8 bits per sample; alpha is coded with loss. */
  abstract encode(pixels: Pixels, options: AvifEncodeOptions): Promise<Uint8Array>;

  /** Decodes the output of `encode` to RGB, or RGBA if it has alpha, without colour management. */
  abstract decode(avif: Uint8Array): Promise<Pixels>;
}

/**
 * `lossy`: VP8, always 4:2:0, with sharp chroma; alpha is exact. `lossless`: VP8L. Colours under an alpha of 0 may change in every mode.
 */
type WebpMode = 'lossy' | 'lossless';

/** `quality` is ignored for `lossless`. */
export interface WebpEncodeOptions extends ResultEncodeOptions {
  readonly mode: WebpMode;
}

export abstract class WebpCodec {
  static readonly FORMAT = 'WebP';
  /** Largest width and height in pixels: the format stores 14 bits. */
  static readonly MAX_SIDE_PX = 16_383;
  /** That of libwebp's method. */
  static readonly MAX_EFFORT = 6;

  /** Encodes grey, RGB or RGBA pixels. */
  abstract encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array>;

  /** Decodes the output of `encode` to RGB, or RGBA if it has alpha, without colour management. */
  abstract decode(webp: Uint8Array): Promise<Pixels>;
}

/** @throws RangeError when the image is larger than the format allows, or an option is out of its range */
export function checkEncode(
  codec: typeof AvifCodec | typeof WebpCodec,
  { width, height }: Dimensions,
  { quality, effort }: ResultEncodeOptions,
): void {
  if (Math.max(width, height) > codec.MAX_SIDE_PX)
    throw new RangeError(
      `${codec.FORMAT} holds at most ${codec.MAX_SIDE_PX} px a side; this image has ${width}×${height} px.`,
    );
  checkOption('quality', quality, 1, 100);
  checkOption('effort', effort, 0, codec.MAX_EFFORT);
}

function checkOption(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, not ${value}.`);
}
