/**
 * Estimates the memory that a worker needs for an image, from its header.
 *
 * Measured as the peak of a worker above its idle 75 MB, after several images of the same kind. Working on the pixels takes,
 * per pixel of the result, up to 26 bytes for JPEGs (434 MB for 14.7 megapixels in 4:4:4) and up to 67 for PNGs, plus a fixed
 * amount. Before that the source is decoded. Most decoders keep a few rows of a source that is scaled down; those of progressive JPEGs and interlaced PNGs hold
 * all of it, and release it when it is decoded.
 */
import type { ImageFormat } from '../../contract/image-signature';
import { largestFit, type Dimensions, type SizeLimits } from './dimensions';

const BASE_BYTES = 64 * 1024 * 1024;
const WORK_BYTES_PER_PIXEL: Readonly<Record<ImageFormat, number>> = { jpeg: 26, png: 70 };
/** RGBA of 16 bits. */
const DECODED_BYTES_PER_PIXEL = 8;
/** Memory per pixel of a source that is scaled down. */
const BYTES_PER_SOURCE_PIXEL = 2;

/**
 * Returns an upper estimate in bytes.
 * @param source size of the source, as stored or upright
 * @param heldBytes bytes of the source that the decoder holds at once
 */
export function memoryDemand(
  format: ImageFormat,
  source: Dimensions,
  limits: SizeLimits,
  heldBytes = 0,
): number {
  const { decoding, work, scaling } = stages(format, source, limits, heldBytes);
  return BASE_BYTES + Math.max(decoding, work) + scaling;
}

/**
 * Returns how many bytes codecs may keep from the image before, within the estimate for this one. The encoder of a JPEG needs
 * memory only after the decoder, so it may have it from the start.
 */
export function keepableMemory(
  format: ImageFormat,
  source: Dimensions,
  limits: SizeLimits,
  heldBytes = 0,
): number {
  const { decoding, work } = stages(format, source, limits, heldBytes);
  return format === 'jpeg' ? Math.max(BASE_BYTES, work - decoding) : BASE_BYTES;
}

function stages(format: ImageFormat, source: Dimensions, limits: SizeLimits, heldBytes: number) {
  const { width, height } = largestFit(source, limits);
  const pixels = width * height;
  const sourcePixels = source.width * source.height;
  return {
    decoding: heldBytes + pixels * DECODED_BYTES_PER_PIXEL,
    work: pixels * WORK_BYTES_PER_PIXEL[format],
    scaling: pixels < sourcePixels ? sourcePixels * BYTES_PER_SOURCE_PIXEL : 0,
  };
}
