/**
 * Estimates the memory that a worker needs for an image, from its header: a fixed amount, and bytes per pixel of the result. Measured as the
 * peak (VmHWM) of a new worker above its idle 79 MB, for a smooth and a busy photo of 4, 8 and 14.7 megapixels. A JPEG encoder also holds
 * its coded data: up to 18 times the upload (664 MB for 14.7 megapixels of noise, an upload of 10.5 MB). Before that the source is decoded.
 * If it is scaled down, most decoders keep only a few rows; progressive JPEGs and interlaced PNGs are held whole until they are decoded.
 */
import {
  Formats,
  uploadMemory,
  type PixelMemory,
  type ResultFormatName,
  type SourceFormat,
} from '../../contract/formats';
import type { CompressionPolicy } from './compression-policy';
import { MAX_WHOLE_PIXELS } from './crop-plan';
import { coveringSize, fitWithin, largestFit, type Dimensions, type SizeLimits } from './dimensions';

const BASE_BYTES = 64 * 1024 * 1024;
/** Upper bound of the coded data per pixel of the result: a large upload may become a thumbnail. */
const MAX_CODED_BYTES_PER_PIXEL = 15;
/** RGBA of 16 bits. */
const DECODED_BYTES_PER_PIXEL = 8;
const BYTES_PER_SOURCE_PIXEL = 2;

/** What the header of an upload says. */
interface Header {
  readonly format: SourceFormat;
  /** As stored or upright. */
  readonly dimensions: Dimensions;
  /** Bytes of the source that the decoder holds at once; none if absent. */
  readonly heldBytes?: number;
  readonly mayBeTransparent?: boolean;
  /** The format of the result where `format` is that of the pixels in between. */
  readonly resultFormat?: ResultFormatName;
}

/** Returns an upper estimate in bytes. */
export function memoryDemand(
  header: Header,
  limits: Limits,
  uploadBytes = 0,
  formats = Formats.builtIn,
): number {
  const { decoding, work, scaling } = stages(header, limits, formats);
  const { width, height } = largestFit(header.dimensions, limits);
  const coded = Math.min(
    uploadBytes * uploadMemory(header.format).codedBytesPerUploadByte,
    width * height * MAX_CODED_BYTES_PER_PIXEL,
  );
  return BASE_BYTES + Math.max(decoding, work + coded) + scaling;
}

/** Per byte of the largest frame: its rows with several filters, and the memory of deflate. */
const WORK_BYTES_PER_FRAME_BYTE = 8;

/** Returns an upper estimate in bytes for an animation, whose frames are compressed one at a time. */
export function animationMemory(frames: FrameSizes, uploadBytes: number): number {
  return (
    BASE_BYTES +
    3 * uploadBytes +
    (isAffordable(frames) ? WORK_BYTES_PER_FRAME_BYTE * frames.largestBytes : 0)
  );
}

/**
 * Returns how many bytes codecs may keep from the previous image. A JPEG encoder needs memory only after the decoder.
 */
export function keepableMemory(header: Header, limits: Limits, formats = Formats.builtIn): number {
  const { decoding, work } = stages(header, limits, formats);
  return uploadMemory(header.format).encodesAfterDecoding
    ? Math.max(BASE_BYTES, work - decoding)
    : BASE_BYTES;
}

type Limits = SizeLimits & Pick<CompressionPolicy, 'formats'>;

/** Returns the memory of the most expensive of the formats besides the upload's own; none of them may be needed. */
function conversionBytes(
  formats: readonly ResultFormatName[],
  known: Formats,
  pixels: number,
  kind: keyof PixelMemory,
) {
  const others = formats.filter((format) => format !== 'same').map((format) => known.of(format).memory);
  return Math.max(0, ...others.map((memory) => memory.baseBytes + pixels * memory.bytesPerPixel[kind]));
}

/** Pixels of the scaled image before it is cropped: as stored, and with its sides swapped. */
function wholePixels(source: Dimensions, limits: Limits) {
  return [source, { width: source.height, height: source.width }].map((size) => {
    const { width, height } = coveringSize(size, fitWithin(size, limits));
    return width * height;
  });
}

/**
 * Bytes of each stage. Decoding and encoding do not overlap, so only the larger one counts; scaling goes on
 * while the source is decoded.
 */
function stages(
  { format, dimensions: source, heldBytes = 0, mayBeTransparent = false, resultFormat }: Header,
  limits: Limits,
  formats: Formats,
) {
  const { width, height } = largestFit(source, limits);
  const pixels = width * height;
  const kind = mayBeTransparent ? 'transparent' : 'opaque';
  // A crop is cut from the whole image, scaled and held twice; of a large one only the part is scaled.
  const whole = Math.min(MAX_WHOLE_PIXELS, Math.max(...wholePixels(source, limits)));
  const decodedPixels = limits.box?.crop ? Math.max(pixels, 2 * whole) : pixels;
  const sourcePixels = source.width * source.height;
  return {
    decoding: heldBytes + decodedPixels * DECODED_BYTES_PER_PIXEL,
    work:
      // Of an upload that became pixels first, the PNG stays, and decoders keep memory.
      (resultFormat === undefined ? 0 : heldBytes) +
      Math.max(
        pixels * uploadMemory(format).bytesPerPixel[kind],
        conversionBytes([...(limits.formats ?? []), resultFormat ?? 'same'], formats, pixels, kind),
      ),
    scaling: pixels < sourcePixels ? sourcePixels * BYTES_PER_SOURCE_PIXEL : 0,
  };
}

/** The frames of an animation. An animation is never scaled, so its cost does not depend on the dimensions of the result. */
export interface FrameSizes {
  readonly bytes: number;
  readonly largestBytes: number;
}

/** Larger animations are returned unchanged: 64 MiB take as long as the largest still images. */
const MAX_ANIMATION_BYTES = 64 * 1024 * 1024;

export function isAffordable({ bytes }: FrameSizes): boolean {
  return bytes <= MAX_ANIMATION_BYTES;
}
