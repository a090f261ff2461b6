/** Reads image headers and decides, before anything is decoded, whether an image is accepted. */
import { uprightSize, type Dimensions } from '../domain/dimensions';
import { ImageRefused, tooManyPixels } from '../domain/refusal';
import { heldBytesOfJpeg, heldBytesOfPng, refuseCostlyJpeg, refuseCostlyPng } from './decoding-cost';
import { formatBySignature, notJpgOrPng, type ImageFormat } from '../../contract/image-signature';
import { readJpegFrame, readJpegStructure, type JpegStructure } from './jpeg/jpeg-structure';
import { readPngHeader, readPngStructure, type PngStructure } from './png/png-structure';

export type ImageHeader = { readonly dimensions: Dimensions } & (
  | { readonly format: 'jpeg'; readonly structure: JpegStructure }
  | { readonly format: 'png'; readonly structure: PngStructure }
);

/** Format, size and decoding cost of an image, as its header declares them. */
export interface DeclaredImage {
  readonly format: ImageFormat;
  readonly dimensions: Dimensions;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  readonly heldBytes: number;
}

/**
 * Returns the header of an image; `dimensions` are upright.
 * @throws ImageRefused when the file is neither JPG nor PNG, is damaged, declares more than `maxPixels` pixels, or is too
 * expensive to decode
 */
export function readImageHeader(bytes: Uint8Array, maxPixels: number): ImageHeader {
  const { format } = readAcceptedHeader(bytes, maxPixels);
  return headerOf(bytes, format);
}

/**
 * Returns format, size and decoding cost of an image that is accepted; `dimensions` are as stored. It is cheap enough for the
 * service process and stops decompression bombs: a file of 100 bytes may declare gigapixels.
 * @throws ImageRefused when readImageHeader would
 */
export function readAcceptedHeader(bytes: Uint8Array, maxPixels: number): DeclaredImage {
  const declared = declaredBy(bytes);
  const { dimensions } = declared;
  const { width, height } = dimensions;
  if (width * height > maxPixels) {
    throw tooManyPixels(dimensions, maxPixels);
  }
  return declared;
}

function declaredBy(bytes: Uint8Array): DeclaredImage {
  const format = formatBySignature(bytes);
  switch (format) {
    case 'jpeg': {
      const frame = readJpegFrame(bytes);
      return { format, dimensions: frame.storedSize, heldBytes: heldBytesOfJpeg(frame) };
    }
    case 'png': {
      const header = readPngHeader(bytes);
      return { format, dimensions: header.storedSize, heldBytes: heldBytesOfPng(header) };
    }
    default:
      throw new ImageRefused('unsupported_media_type', `${notJpgOrPng(bytes)}.`);
  }
}

function headerOf(bytes: Uint8Array, format: ImageFormat): ImageHeader {
  switch (format) {
    case 'jpeg': {
      const structure = readJpegStructure(bytes);
      refuseCostlyJpeg(structure);
      return { format, structure, dimensions: uprightSize(structure.storedSize, structure.orientation) };
    }
    case 'png': {
      const structure = readPngStructure(bytes);
      refuseCostlyPng(structure);
      return { format, structure, dimensions: uprightSize(structure.storedSize, structure.orientation) };
    }
  }
}
