/** What can be known about an image before anything is decoded, and whether it may be decoded at all. */
import type { ImageFormat } from '../domain/compression-report';
import { uprightSize, type Dimensions } from '../domain/dimensions';
import { ImageRefused } from '../domain/refusal';
import { refuseCostlyJpeg, refuseCostlyPng } from './decoding-cost';
import { formatBySignature } from './image-signature';
import { readJpegDimensions, readJpegStructure, type JpegStructure } from './jpeg/jpeg-structure';
import { readPngDimensions, readPngStructure, type PngStructure } from './png/png-structure';

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
  const { format } = refuseByHeader(bytes, maxPixels);
  return headerOf(bytes, format);
}

/**
 * The part of it that the service itself can afford, whatever the bytes are: finds format, width and
 * height and keeps nothing else; `dimensions` are as stored. Guards against decompression bombs: a 100-byte file may declare gigapixels.
 * @throws ImageRefused as readImageHeader does.
 */
export function refuseByHeader(
  bytes: Uint8Array,
  maxPixels: number,
): { readonly format: ImageFormat; readonly dimensions: Dimensions } {
  const { format, dimensions } = storedDimensions(bytes);
  const { width, height } = dimensions;
  if (width * height > maxPixels) {
    const megapixels = (maxPixels / 1e6).toLocaleString('en');
    throw new ImageRefused(
      'too_many_pixels',
      `The image is ${width} x ${height} pixels; at most ${megapixels} megapixels are accepted.`,
      { limit: maxPixels, actual: width * height },
    );
  }
  return { format, dimensions };
}

function storedDimensions(bytes: Uint8Array): { format: ImageFormat; dimensions: Dimensions } {
  const format = formatBySignature(bytes);
  switch (format) {
    case 'jpeg':
      return { format, dimensions: readJpegDimensions(bytes) };
    case 'png':
      return { format, dimensions: readPngDimensions(bytes) };
    default:
      throw new ImageRefused('unsupported_media_type', 'The file is neither a JPG nor a PNG.');
  }
}

function headerOf(bytes: Uint8Array, format: ImageFormat): ImageHeader {
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
  }
}
