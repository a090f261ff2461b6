/**
 * Engines decide nothing about quality, size or metadata. They refuse a file that cannot be decoded (ImageRefused
 * `undecodable_image`), and the same input gives the same bytes.
 */

import type { BuiltInFormat, Formats } from '../../contract/formats';
import type { Effort } from '../domain/compression-policy';
import { sameSize, type Crop, type Dimensions, type Orientation } from '../domain/dimensions';
import type { EncoderQuality } from '../domain/history/quantization-tables';
import type { IndexedImage } from '../domain/palette/indexed-image';
import type { ChromaSubsampling, Pixels, Raster } from '../domain/pixels';
import type { EmbeddedBlocks } from '../formats/embedded-blocks';
import type { ResultFormat, UploadReader } from './result-format.port';

export interface DecodeOptions {
  /** Applied to the pixels, so that the result is upright. */
  readonly orientation: Orientation;
  /** Upright size to scale down to. */
  readonly size?: Dimensions | undefined;
  /** How to change the aspect ratio to that of `size`; the image is distorted if absent. */
  readonly crop?: Crop | undefined;
}

export interface TransformOptions extends DecodeOptions {
  /** Reduces samples of 16 bits to 8. */
  readonly isReduced?: boolean;
}

interface JpegHeader {
  readonly storedSize: Dimensions;
  readonly components: { readonly length: number };
}

/** How to convert to sRGB: through the embedded profile, or CMYK as browsers show it without one. */
export type SrgbConversion = 'profile' | 'plain';

export interface JpegDecodeOptions extends DecodeOptions {
  readonly header: JpegHeader;
  /** Converts CMYK, and RGB that needs its profile, to sRGB. */
  readonly toSrgb?: SrgbConversion;
  /** Decodes to grey or RGBA, which `encode` accepts without conversion. Decoding to RGB is faster. */
  readonly toEncode?: boolean;
}

export interface JpegEncodeOptions {
  /** 1..100, on libjpeg's scale. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /** `delivery` is progressive and optimized; `trial` gives the same pixels fast, in about 5% more bytes. */
  readonly purpose: 'trial' | 'delivery';
  /** Time to spend on `delivery`; every effort gives the same pixels. */
  readonly effort?: Effort;
}

export interface FormerCoding extends EncoderQuality {
  readonly chroma: ChromaSubsampling;
}

/** Returns the header of the file that `encode` makes of these pixels. */
export function encodedHeader({ width, height, channels }: Omit<Pixels, 'data'>): JpegHeader {
  return { storedSize: { width, height }, components: { length: channels < 3 ? 1 : 3 } };
}

export abstract class JpegCodec {
  /** Whether `decode` can convert CMYK and RGB through a profile; otherwise it converts all CMYK as `plain`, and no RGB. */
  readonly readsProfiles: boolean = true;

  /** Decodes to grey (1 channel), RGB, or opaque RGBA samples as stored, without colour management. */
  abstract decode(jpeg: Uint8Array, options: JpegDecodeOptions): Promise<Pixels>;

  /** For a score that only guides a search: samples may differ from `decode` by a few steps. */
  async decodeTrial(jpeg: Uint8Array, original: Omit<Pixels, 'data'>): Promise<Pixels> {
    const pixels = await this.decode(jpeg, { header: encodedHeader(original), orientation: 1 });
    if (!sameSize(pixels, original)) throw new RangeError('A trial has another size than the encoded image');
    return pixels;
  }

  abstract scale(pixels: Pixels, size: Dimensions): Promise<Pixels>;

  /** Encodes grey, RGB or RGBA pixels; alpha is ignored. Writes no metadata. */
  abstract encode(pixels: Pixels, options: JpegEncodeOptions): Promise<Uint8Array>;

  /** Returns the 64 luma quantization steps that `encode` uses at a quality, in zigzag order. */
  abstract lumaSteps(quality: number, chroma: ChromaSubsampling): readonly number[];

  /**
   * Rounds each coefficient to the steps of a former coding, so that it loses almost nothing; undefined if
   * unsupported.
   */
  abstract encodeWithFormerTables(
    pixels: Pixels,
    former: FormerCoding,
    purpose?: JpegEncodeOptions['purpose'],
  ): Promise<Uint8Array | undefined>;

  /** Writes the same coefficients in fewer bytes, without metadata but the Adobe marker; undefined if unsupported. */
  abstract recodeLosslessly(jpeg: Uint8Array): Promise<Uint8Array | undefined>;
}

export abstract class PngCodec {
  /** Rotates upright and scales. Keeps alpha, and 16-bit samples unless `isReduced`; drops ancillary chunks. */
  abstract transform(png: Uint8Array, options: TransformOptions): Promise<Uint8Array>;

  /** Decodes to 8-bit samples as stored, without colour management; alpha is not premultiplied. */
  abstract decode(png: Uint8Array): Promise<Pixels>;

  /** Returns the pixels in at most 256 colours, without dithering; undefined without a quantiser. */
  abstract quantise(pixels: Pixels): Promise<IndexedImage | undefined>;

  /**
   * Returns the zlib stream (RFC 1950) of the bytes. A higher effort takes no more bytes, and usually fewer.
   * @param isNoise the bytes hardly repeat: residuals of a photo
   */
  abstract deflate: (bytes: Uint8Array, effort: Effort, isNoise?: boolean) => Promise<Uint8Array>;

  /** Returns the same pixels in fewer bytes. Ancillary chunks are kept. */
  abstract optimise(png: Uint8Array, effort?: Effort): Promise<Uint8Array>;

  abstract arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean>;
}

interface ResultEncodeOptions {
  /** Integer, 1..100, of colour and alpha; ignored without loss. */
  readonly quality: number;
  /** Time to spend, on the scale of the encoder; it may change the pixels. */
  readonly effort: number;
  /** Whether shared chroma is chosen so that each pixel keeps its lightness; ignored where chroma is not shared. */
  readonly hasSharpChroma?: boolean | undefined;
  /** Of the samples in the file, 8 if absent; more round less. Ignored by formats of 8 bits. */
  readonly bitDepth?: 8 | 10;
  /** Every sample stays, but for colours under an alpha of 0. Ignored by an encoder that is always lossy. */
  readonly isLossless?: boolean;
  /** The bits of a sample that it may lose nevertheless, where neighbours differ; 0 if absent. Ignored by formats but WebP. */
  readonly lostBits?: number | undefined;
  /** Written unchanged: its orientation is 1 or absent, its profile is RGB (grey is stored as RGB). */
  readonly metadata?: EmbeddedBlocks;
}

/** A format without a port of its own; its row says how it is written. */
export interface ResultCodec {
  /** Encodes grey, RGB or RGBA; alpha is exact. */
  encode(pixels: Pixels, options: ResultEncodeOptions): Promise<Uint8Array>;
  /** Reads what `encode` writes to RGB or RGBA, rounded to 8 bits. */
  decode(file: Uint8Array): Promise<Pixels>;
  /** Reads any still image, with 16 bits where it has more than 8, turned and cut as its boxes say (not EXIF). `decode` does it if absent. */
  decodeUpload?(file: Uint8Array): Promise<Raster>;
}

/** The codecs of formats besides JPEG and PNG, which have ports of their own; absent ones are not results of the engine. */
type ResultCodecs = { readonly [F in Exclude<BuiltInFormat, 'jpeg' | 'png'>]?: ResultCodec };

export interface CodecEngine extends ResultCodecs {
  readonly jpeg: JpegCodec;
  readonly png: PngCodec;
  /** Formats that packages of the operator have added. */
  readonly added?: readonly ResultFormat[];
  /** Formats of uploads that packages read. */
  readonly uploads?: readonly UploadReader[];
  /** Names and facts of the formats that results may have; the built-in ones if absent. */
  readonly knownFormats?: Formats;
  /** Operator notices about how the engine was loaded, one sentence each; logged at start. */
  readonly notices?: readonly string[];
  /** Makes the parsers and encoders of formats that the engine does not use unreachable in this process. */
  readonly closeOtherFormats?: () => void;
  /** Called between images: releases the codecs' memory if it exceeds `maxBytes`; returns whether there was any. */
  readonly releaseMemory?: (maxBytes: number) => boolean;
}

/** Given to the `createEngine` of a package, which needs no import of this package for it. */
export interface EngineTools {
  readonly nativeEngine: () => Promise<CodecEngine>;
  readonly JpegCodec: typeof JpegCodec;
  readonly PngCodec: typeof PngCodec;
  /** Runs a decoder. Any error becomes an ImageRefused that says that the image of this format is damaged. */
  readonly refuseOnFailure: <T>(format: 'JPEG' | 'PNG', work: () => T | Promise<T>) => Promise<T>;
}

export type CreateEngine = (tools: EngineTools) => CodecEngine | Promise<CodecEngine>;

/** The engines of this package. CODEC_ENGINE may also name a package: see docs/adding-a-codec.md. */
export const ENGINE_NAMES = ['native', 'squoosh'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
