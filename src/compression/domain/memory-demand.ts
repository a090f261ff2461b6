/**
 * Estimates the memory that a worker needs for an image, from its header.
 *
 * Measured as the peak of a new worker above its idle 75 MB: per pixel of the result, JPEGs take up to 19 bytes (351 MB for
 * 14.7 megapixels in 4:4:4) and PNGs up to 67, plus a fixed amount. The source of an image that is scaled down takes
 * little, because it is resized as it is read.
 */
import type { ImageFormat } from '../../contract/image-signature';
import { fitWithin, type Dimensions } from './dimensions';

const BASE_BYTES = 64 * 1024 * 1024;
const BYTES_PER_PIXEL: Readonly<Record<ImageFormat, number>> = { jpeg: 22, png: 70 };
/** Memory per pixel of a source that is scaled down. */
const BYTES_PER_SOURCE_PIXEL = 2;

/**
 * Returns an upper estimate in bytes.
 * @param source size of the source, as stored or upright
 * @param heldBytes additional bytes that the decoder holds of the source
 */
export function memoryDemand(
  format: ImageFormat,
  source: Dimensions,
  maxDimensionPx: number,
  heldBytes = 0,
): number {
  const { width, height } = fitWithin(source, maxDimensionPx);
  const sourcePixels = source.width * source.height;
  const isScaled = width * height < sourcePixels;
  return (
    BASE_BYTES +
    heldBytes +
    width * height * BYTES_PER_PIXEL[format] +
    (isScaled ? sourcePixels * BYTES_PER_SOURCE_PIXEL : 0)
  );
}
