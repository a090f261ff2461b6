/**
 * Estimates the memory that a worker needs for an image, from its header.
 *
 * Measured as the peak of a new worker above its idle 75 MB. Working on the pixels takes, per pixel of the result, up to 20
 * bytes for JPEGs (353 MB for 14.7 megapixels in 4:4:4) and up to 67 for PNGs, plus a fixed amount. Before that the source is
 * decoded. Most decoders keep a few rows of a source that is scaled down; those of progressive JPEGs and interlaced PNGs hold
 * all of it, and release it when it is decoded.
 */
import type { ImageFormat } from '../../contract/image-signature';
import { largestFit, type Dimensions, type SizeLimits } from './dimensions';

const BASE_BYTES = 64 * 1024 * 1024;
const WORK_BYTES_PER_PIXEL: Readonly<Record<ImageFormat, number>> = { jpeg: 22, png: 70 };
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
  const { width, height } = largestFit(source, limits);
  const pixels = width * height;
  const sourcePixels = source.width * source.height;
  const decoding = heldBytes + pixels * DECODED_BYTES_PER_PIXEL;
  const work = pixels * WORK_BYTES_PER_PIXEL[format];
  return (
    BASE_BYTES +
    Math.max(decoding, work) +
    (pixels < sourcePixels ? sourcePixels * BYTES_PER_SOURCE_PIXEL : 0)
  );
}
