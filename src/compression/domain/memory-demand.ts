/**
 * What one image takes of a worker's memory, foretold from its header.
 *
 * Measured as the peak of a fresh worker over its idle 62 MB, 30 images of 0.1 to 108 megapixels: JPEGs take up to 33
 * bytes a pixel that is worked on (the picture, its planes, the candidate's), PNGs up to 67; small ones more, for what
 * the codecs need anyway. Of a picture that is scaled down, the source itself costs little: it is shrunk as it is read.
 */
import type { ImageFormat } from './compression-report';
import { fitWithin, type Dimensions } from './dimensions';

const BASE_BYTES = 64 * 1024 * 1024;
const BYTES_PER_PIXEL: Readonly<Record<ImageFormat, number>> = { jpeg: 35, png: 70 };
/** Pixels of the source that are held while it is being scaled down; coefficients, where it is progressive. */
const BYTES_PER_SOURCE_PIXEL = 2;

/** Bytes, on the safe side. Dimensions as stored or upright, it makes no difference. */
export function memoryDemand(format: ImageFormat, source: Dimensions, maxDimensionPx: number): number {
  const { width, height } = fitWithin(source, maxDimensionPx);
  const sourcePixels = source.width * source.height;
  const isScaled = width * height < sourcePixels;
  return (
    BASE_BYTES +
    width * height * BYTES_PER_PIXEL[format] +
    (isScaled ? sourcePixels * BYTES_PER_SOURCE_PIXEL : 0)
  );
}
