/**
 * What can be known about an image before anything is decoded, and whether it may be decoded at all.
 * Cheap (no allocation that grows with the image) and safe on hostile bytes.
 */
import type { ImageFormat } from '../domain/compression-report';
import { uprightSize, type Dimensions } from '../domain/dimensions';
import { ImageRefused } from '../domain/refusal';
import { formatBySignature } from './image-signature';
import { readJpegStructure, type JpegStructure } from './jpeg-structure';
import { readPngStructure, type PngStructure } from './png-structure';

export type ImageHeader = { readonly dimensions: Dimensions } & (
  | { readonly format: 'jpeg'; readonly structure: JpegStructure }
  | { readonly format: 'png'; readonly structure: PngStructure }
);

/**
 * Reads the header; `dimensions` are upright.
 * @throws ImageRefused when it is neither JPG nor PNG, damaged, or declares more than `maxPixels` pixels.
 */
export function readImageHeader(bytes: Uint8Array, maxPixels: number): ImageHeader {
  const header = headerOf(bytes, formatBySignature(bytes));
  const { width, height } = header.dimensions;
  // Guards against decompression bombs: a 100-byte file may declare gigapixels.
  if (width * height > maxPixels) {
    throw new ImageRefused(
      'too_many_pixels',
      `The image is ${width} x ${height} pixels; at most ${(maxPixels / 1e6).toLocaleString('en')} megapixels are accepted.`,
      { limit: maxPixels, actual: width * height },
    );
  }
  return header;
}

function headerOf(bytes: Uint8Array, format: ImageFormat | undefined): ImageHeader {
  switch (format) {
    case 'jpeg': {
      const structure = readJpegStructure(bytes);
      return { format, structure, dimensions: uprightSize(structure.stored, structure.orientation) };
    }
    case 'png': {
      const structure = readPngStructure(bytes);
      return { format, structure, dimensions: uprightSize(structure.stored, structure.orientation) };
    }
    default:
      throw new ImageRefused('unsupported_media_type', 'The file is neither a JPG nor a PNG.');
  }
}
