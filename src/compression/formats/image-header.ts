/** Reads image headers and decides whether an image is accepted, before anything is decoded. */
import { formatBySignature, type UploadFormat } from '../../contract/formats';
import { uprightSize, type Dimensions, type Orientation } from '../domain/dimensions';
import type { FrameSizes } from '../domain/frame-sizes';
import { MAX_SIDE_PX, notAnImage, sideTooLong, tooManyPixels } from '../../contract/image-problems';
import { heldBytesOfJpeg, heldBytesOfPng, refuseCostlyJpeg, refuseCostlyPng } from './decoding-cost';
import { readJpegFrame, readJpegStructure, type JpegStructure } from './jpeg/jpeg-structure';
import { declaredFrames } from './png/png-animation';
import { readPngHeader, readPngStructure, type PngStructure } from './png/png-structure';

/** The structure of a whole file, by format. */
interface Structures {
  readonly jpeg: JpegStructure;
  readonly png: PngStructure;
}

/** Reads the headers of one format. Both functions throw an ImageRefused for a damaged header. */
interface HeaderReader<Structure> {
  /** Reads only enough for format, size and decoding cost. */
  declare(bytes: Uint8Array): Omit<DeclaredImage, 'format'>;
  /** Reads from the first byte to the end of the image. */
  read(bytes: Uint8Array): Structure & { readonly storedSize: Dimensions; readonly orientation: Orientation };
  /** @throws ImageRefused when the image is too expensive to decode */
  refuseCostly(structure: Structure): void;
  /** Returns the bytes that a decoder holds of the full-size image, even if it is scaled down. */
  heldBytes(structure: Structure): number;
}

/** The compiler reports a format without a row. */
const READERS: { readonly [F in UploadFormat]: HeaderReader<Structures[F]> } = {
  jpeg: {
    declare: (bytes) => {
      const frame = readJpegFrame(bytes);
      return { dimensions: frame.storedSize, heldBytes: heldBytesOfJpeg(frame) };
    },
    read: readJpegStructure,
    refuseCostly: refuseCostlyJpeg,
    heldBytes: heldBytesOfJpeg,
  },
  png: {
    declare: (bytes) => {
      const header = readPngHeader(bytes);
      const frames = declaredFrames(bytes, header);
      const declared = { dimensions: header.storedSize, heldBytes: heldBytesOfPng(header) };
      return frames ? { ...declared, frames } : declared;
    },
    read: readPngStructure,
    refuseCostly: refuseCostlyPng,
    heldBytes: heldBytesOfPng,
  },
};

/** An accepted file with its whole header. */
interface SourceWith<F extends UploadFormat> {
  readonly format: F;
  readonly bytes: Uint8Array;
  readonly structure: Structures[F];
  /** Upright. */
  readonly dimensions: Dimensions;
  readonly isAnimated: boolean;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  readonly heldBytes: number;
}

export type JpegSource = SourceWith<'jpeg'>;
export type PngSource = SourceWith<'png'>;
export type Source = { [F in UploadFormat]: SourceWith<F> }[UploadFormat];

/** Format, size and decoding cost of an image, as its header declares them. */
export interface DeclaredImage {
  readonly format: UploadFormat;
  /** As stored. */
  readonly dimensions: Dimensions;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  readonly heldBytes: number;
  /** Present for an animation. */
  readonly frames?: FrameSizes;
}

/**
 * Reads a file once, from its first byte to the end of its image.
 * @throws ImageRefused when the file has no accepted format, is damaged, declares more than `maxPixels` pixels, or is too
 * expensive to decode
 */
export function readSource(bytes: Uint8Array, maxPixels: number): Source {
  const format = acceptedFormat(bytes);
  const reader: HeaderReader<Structures[UploadFormat]> = READERS[format];
  const structure = reader.read(bytes);
  refuseManyPixels(structure.storedSize, maxPixels);
  reader.refuseCostly(structure);
  const dimensions = uprightSize(structure.storedSize, structure.orientation);
  const isAnimated = 'isAnimated' in structure && structure.isAnimated;
  // Each format has its own structure type.
  return {
    format,
    bytes,
    structure,
    dimensions,
    isAnimated,
    heldBytes: reader.heldBytes(structure),
  } as Source;
}

/**
 * Returns format, size and decoding cost of an image. It reads up to the first scan or the first pixels, and of an animation only the
 * headers of its chunks, so the service process can afford it. It stops decompression bombs: a file of 100 bytes may declare gigapixels.
 * @throws ImageRefused when the file has no accepted format or no valid header, or declares more than `maxPixels` pixels
 */
export function readAcceptedHeader(bytes: Uint8Array, maxPixels: number): DeclaredImage {
  const format = acceptedFormat(bytes);
  const declared = { format, ...READERS[format].declare(bytes) };
  refuseManyPixels(declared.dimensions, maxPixels);
  return declared;
}

function acceptedFormat(bytes: Uint8Array): UploadFormat {
  const format = formatBySignature(bytes);
  if (!format) throw notAnImage(bytes);
  return format;
}

/** @throws ImageRefused too_many_pixels */
export function refuseManyPixels(size: Dimensions, maxPixels: number): void {
  if (size.width * size.height > maxPixels) throw tooManyPixels(size, maxPixels);
  // Decoders hold whole rows, and libvips holds many of them: a PNG of 8 000 000 x 32 pixels took 11 GB.
  const longest = Math.max(size.width, size.height);
  if (longest > MAX_SIDE_PX) throw sideTooLong(longest);
}
