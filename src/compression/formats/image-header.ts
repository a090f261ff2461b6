/** What can be known about an image before anything is decoded, and whether it may be decoded at all. */
import type { ImageFormat } from '../domain/compression-report';
import { uprightSize, type Dimensions } from '../domain/dimensions';
import { ImageRefused } from '../domain/refusal';
import { refuseCostlyJpeg, refuseCostlyPng } from './decoding-cost';
import { formatBySignature } from './image-signature';
import { readJpegDimensions, readJpegStructure, type JpegStructure } from './jpeg-structure';
import { readPngDimensions, readPngStructure, type PngStructure } from './png-structure';

export type ImageHeader = { readonly dimensions: Dimensions } & (
  | { readonly format: 'jpeg'; readonly structure: JpegStructure }
  | { readonly format: 'png'; readonly structure: PngStructure }
);

/**
 * Reads the header; `dimensions` are upright.
 * @throws ImageRefused when it is neither JPG nor PNG, damaged, declares more than `maxPixels` pixels, or would cost
 * too much to decode.
 */
export function readImageHeader(bytes: Uint8Array, maxPixels: number): ImageHeader {
  refuseByHeader(bytes, maxPixels);
  return headerOf(bytes, formatBySignature(bytes));
}

/**
 * The part of it that the service itself can afford, whatever the bytes are: finds width and height and keeps
 * nothing. Guards against decompression bombs: a 100-byte file may declare gigapixels.
 * @throws ImageRefused as readImageHeader does.
 */
export function refuseByHeader(bytes: Uint8Array, maxPixels: number): void {
  const { width, height } = storedDimensions(bytes);
  if (width * height > maxPixels) {
    const megapixels = (maxPixels / 1e6).toLocaleString('en');
    throw new ImageRefused(
      'too_many_pixels',
      `The image is ${width} x ${height} pixels; at most ${megapixels} megapixels are accepted.`,
      { limit: maxPixels, actual: width * height },
    );
  }
}

function storedDimensions(bytes: Uint8Array): Dimensions {
  switch (formatBySignature(bytes)) {
    case 'jpeg':
      return readJpegDimensions(bytes);
    case 'png':
      return readPngDimensions(bytes);
    default:
      throw new ImageRefused('unsupported_media_type', 'The file is neither a JPG nor a PNG.');
  }
}

function headerOf(bytes: Uint8Array, format: ImageFormat | undefined): ImageHeader {
  switch (format) {
    case 'jpeg': {
      const structure = readJpegStructure(bytes);
      refuseCostlyJpeg(bytes, structure);
      return { format, structure, dimensions: uprightSize(structure.stored, structure.orientation) };
    }
    case 'png': {
      const structure = readPngStructure(bytes);
      refuseCostlyPng(structure);
      return { format, structure, dimensions: uprightSize(structure.stored, structure.orientation) };
    }
    default:
      throw new ImageRefused('unsupported_media_type', 'The file is neither a JPG nor a PNG.');
  }
}
