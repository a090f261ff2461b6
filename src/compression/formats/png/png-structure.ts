/** Reads the structure of a PNG file (W3C PNG, third edition) without inflating its pixels. Ignores bytes after IEND. */
import { applePng, cutOff, damaged } from '../../../contract/image-problems';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text, uint32 } from '../bytes';
import { readOrientation } from '../exif';
import { firstData, isCritical, readChunks, SIGNATURE_BYTES, withEnd, type PngChunk } from './png-chunks';
import { isSrgbLike, meaningfulColourChunks } from './png-colour';

/** Bits per sample by colour type (W3C PNG, 11.2.1). oxipng aborts the process at any other combination. */
const BIT_DEPTHS: Readonly<Partial<Record<number, readonly number[]>>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The colour type of palette images. */
export const PALETTE = 3;

export interface PngHeader {
  /** The orientation is not applied. */
  readonly storedSize: Dimensions;
  readonly bitDepth: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  readonly colourType: number;
  readonly isInterlaced: boolean;
}

export interface PngStructure extends PngHeader {
  readonly orientation: Orientation;
  readonly isAnimated: boolean;
  /** Colour chunks, unless they mean plain sRGB. */
  readonly colourChunks: readonly PngChunk[];
  /** Whether the samples are RGB with a perceptual scale similar to sRGB; scores require it. */
  readonly isSrgbLike: boolean;
  readonly chunks: readonly PngChunk[];
}

/** Whether or not a pixel is transparent. */
export function mayBeTransparent(structure: PngStructure): boolean {
  return hasAlphaChannel(structure) || firstData(structure.chunks, 'tRNS') !== undefined;
}

export function hasAlphaChannel({ colourType }: PngHeader): boolean {
  return colourType === 4 || colourType === 6;
}

export function isGreyFile({ colourType }: PngHeader): boolean {
  return colourType === 0 || colourType === 4;
}

export function isPalette(png: Uint8Array): boolean {
  return readPngHeader(png).colourType === PALETTE;
}

/** @throws ImageRefused `undecodable_image` when the header is damaged */
export function readPngHeader(bytes: Uint8Array): PngHeader {
  if (text(bytes, 12, 16) === 'CgBI') throw applePng();
  const isHeader = uint32(bytes, SIGNATURE_BYTES) === 13 && text(bytes, 12, 16) === 'IHDR';
  const width = uint32(bytes, 16);
  const height = uint32(bytes, 20);
  if (!isHeader || width === undefined || height === undefined)
    throw damaged('PNG', 'it does not begin with an image header');
  if (width === 0 || height === 0) throw damaged('PNG', 'its width or height is zero');
  const [bitDepth, colourType, compression, filter, interlace] = bytes.subarray(
    SIGNATURE_BYTES + 16,
    SIGNATURE_BYTES + 21,
  );
  if (!BIT_DEPTHS[colourType]?.includes(bitDepth) || compression !== 0 || filter !== 0 || interlace > 1) {
    throw damaged('PNG', 'its header combines values that the PNG specification does not allow');
  }
  return { storedSize: { width, height }, bitDepth, colourType, isInterlaced: interlace === 1 };
}

/** @throws ImageRefused `undecodable_image` when the header is damaged or there is no image data */
export function readPngStructure(bytes: Uint8Array): PngStructure {
  const header = readPngHeader(bytes);
  const chunks = withValidCriticalChunks(readChunks(bytes));
  const colourChunks = meaningfulColourChunks(chunks);
  return {
    ...header,
    orientation: readOrientation(firstData(chunks, 'eXIf')),
    isAnimated: firstData(chunks, 'acTL') !== undefined,
    colourChunks,
    isSrgbLike: isSrgbLike(colourChunks),
    chunks,
  };
}

const KNOWN = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/**
 * Refuses repeated critical chunks: decoders disagree which of two headers counts. Repairs IEND, as most decoders do.
 * @throws ImageRefused `undecodable_image` when critical chunks are missing, repeated or unknown
 */
function withValidCriticalChunks(chunks: readonly PngChunk[]): readonly PngChunk[] {
  const critical = chunks.filter(isCritical);
  const count = (wanted: string) => critical.filter(({ type }) => type === wanted).length;
  if (count('IDAT') === 0) throw count('IEND') === 0 ? cutOff('PNG') : damaged('PNG', 'it has no image data');
  if (count('IHDR') !== 1 || count('PLTE') > 1)
    throw damaged('PNG', 'it has more than one header or palette');
  if (!critical.every(({ type }) => KNOWN.includes(type)))
    throw damaged('PNG', 'it has unknown critical chunks');
  return withEnd(chunks);
}
