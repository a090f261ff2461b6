/** Reads image headers and decides, before anything is decoded, whether an image is accepted. */
import { formatBySignature, type SourceFormat } from '../../contract/formats';
import { uprightSize, type Dimensions } from '../domain/dimensions';
import type { FrameSizes } from '../domain/frame-sizes';
import { MAX_SIDE_PX, notAnImage, sideTooLong, tooManyPixels } from '../../contract/image-problems';
import { heldBytesOfJpeg, heldBytesOfPng, refuseCostlyJpeg, refuseCostlyPng } from './decoding-cost';
import { readJpegFrame, readJpegStructure, type JpegStructure } from './jpeg/jpeg-structure';
import { declaredFrames } from './png/png-animation';
import { readPngHeader, readPngStructure, type PngStructure } from './png/png-structure';

/** An accepted file with everything that its header tells. */
interface SourceOf<Format extends SourceFormat, Structure> {
  readonly format: Format;
  readonly bytes: Uint8Array;
  readonly structure: Structure;
  /** Upright. */
  readonly dimensions: Dimensions;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  readonly heldBytes: number;
}

export type JpegSource = SourceOf<'jpeg', JpegStructure>;
export type PngSource = SourceOf<'png', PngStructure>;
export type Source = JpegSource | PngSource;

/** Format, size and decoding cost of an image, as its header declares them. */
export interface DeclaredImage {
  readonly format: SourceFormat;
  /** As stored. */
  readonly dimensions: Dimensions;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  readonly heldBytes: number;
  /** Of an animation. */
  readonly frames?: FrameSizes;
}

/**
 * Reads a file once, from its first byte to the end of its image.
 * @throws ImageRefused when the file is neither JPG nor PNG, is damaged, declares more than `maxPixels` pixels, or is too
 * expensive to decode
 */
export function readSource(bytes: Uint8Array, maxPixels: number): Source {
  const format = acceptedFormat(bytes);
  switch (format) {
    case 'jpeg': {
      const structure = readJpegStructure(bytes);
      refuseManyPixels(structure.storedSize, maxPixels);
      refuseCostlyJpeg(structure);
      const dimensions = uprightSize(structure.storedSize, structure.orientation);
      return { format, bytes, structure, dimensions, heldBytes: heldBytesOfJpeg(structure) };
    }
    case 'png': {
      const structure = readPngStructure(bytes);
      refuseManyPixels(structure.storedSize, maxPixels);
      refuseCostlyPng(structure);
      const dimensions = uprightSize(structure.storedSize, structure.orientation);
      return { format, bytes, structure, dimensions, heldBytes: heldBytesOfPng(structure) };
    }
  }
}

/**
 * Returns format, size and decoding cost of an image. It reads no further than the first scan or the first pixels, and of an
 * animation only the headers of its chunks, so the service process can afford it, and it stops decompression bombs: a file of 100 bytes may declare gigapixels.
 * @throws ImageRefused when the file is neither JPG nor PNG, has no valid header, or declares more than `maxPixels` pixels
 */
export function readAcceptedHeader(bytes: Uint8Array, maxPixels: number): DeclaredImage {
  const declared = declaredBy(bytes);
  refuseManyPixels(declared.dimensions, maxPixels);
  return declared;
}

function declaredBy(bytes: Uint8Array): DeclaredImage {
  const format = acceptedFormat(bytes);
  switch (format) {
    case 'jpeg': {
      const frame = readJpegFrame(bytes);
      return { format, dimensions: frame.storedSize, heldBytes: heldBytesOfJpeg(frame) };
    }
    case 'png': {
      const header = readPngHeader(bytes);
      const frames = declaredFrames(bytes, header);
      const declared = { format, dimensions: header.storedSize, heldBytes: heldBytesOfPng(header) };
      return frames ? { ...declared, frames } : declared;
    }
  }
}

function acceptedFormat(bytes: Uint8Array): SourceFormat {
  const format = formatBySignature(bytes);
  if (!format) throw notAnImage(bytes);
  return format;
}

function refuseManyPixels(size: Dimensions, maxPixels: number): void {
  if (size.width * size.height > maxPixels) throw tooManyPixels(size, maxPixels);
  // Decoders hold rows whole, and libvips holds many of them: a PNG of 8 000 000 x 32 pixels took 11 GB.
  const longest = Math.max(size.width, size.height);
  if (longest > MAX_SIDE_PX) throw sideTooLong(longest);
}
