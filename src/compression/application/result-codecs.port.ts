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

export interface AvifEncodeOptions {
  /** Integer, 1..100, for colour and alpha. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /** The encoder's own scale, 0..9: speed 9 to 0 of libaom. It changes the pixels, so a quality is valid only for one effort. */
  readonly effort: number;
  /** Written unchanged. Its orientation must be 1 or absent, and a profile must be RGB (grey is stored as RGB). */
  readonly metadata?: EmbeddedBlocks;
}

export abstract class AvifCodec {
  /** Largest width and height in pixels. */
  static readonly MAX_SIDE_PX = 16_384;

  /** Encodes grey, RGB or RGBA pixels with 8 bits per sample; alpha is coded with loss. */
  abstract encode(pixels: Pixels, options: AvifEncodeOptions): Promise<Uint8Array>;

  /** Decodes the output of `encode` to RGB, or RGBA if it has alpha, without colour management. */
  abstract decode(avif: Uint8Array): Promise<Pixels>;
}

/**
 * `lossy`: VP8, always 4:2:0, with sharp chroma; alpha is exact. `near-lossless`: VP8L with slightly changed samples, alpha
 * included. `lossless`: VP8L. Colours under an alpha of 0 may change in every mode.
 */
type WebpMode = 'lossy' | 'near-lossless' | 'lossless';

export interface WebpEncodeOptions {
  readonly mode: WebpMode;
  /** Integer, 1..100; ignored for `lossless`. For `near-lossless`, the steps are 20, 40, 60 and 80; 100 changes nothing. */
  readonly quality: number;
  /** The encoder's own scale, 0..6: libwebp's method. */
  readonly effort: number;
  /** Written unchanged. Its orientation must be 1 or absent, and a profile must be RGB (grey is stored as RGB). */
  readonly metadata?: EmbeddedBlocks;
}

export abstract class WebpCodec {
  /** Largest width and height in pixels: the format stores 14 bits. */
  static readonly MAX_SIDE_PX = 16_383;

  /** Encodes grey, RGB or RGBA pixels. */
  abstract encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array>;

  /** Decodes the output of `encode` to RGB, or RGBA if it has alpha, without colour management. */
  abstract decode(webp: Uint8Array): Promise<Pixels>;
}

/** @throws RangeError when the image is larger than the format allows */
export function checkSide(format: string, { width, height }: Dimensions, maxSidePx: number): void {
  if (Math.max(width, height) <= maxSidePx) return;
  throw new RangeError(
    `${format} holds at most ${maxSidePx} px a side; this image has ${width}×${height} px.`,
  );
}

/** @throws RangeError when the value is not an integer from `least` to `most` */
export function checkOption(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, not ${value}.`);
}
