/**
 * The structure of a PNG file (W3C PNG, third edition): its chunks, read without inflating any pixels, and
 * which of them may stay. Bytes behind IEND are not part of the image and are left out.
 */
import { crc32, inflateSync } from 'node:zlib';
import { ImageRefused } from '../domain/refusal';
import type { Dimensions, Orientation } from '../domain/dimensions';
import { text, uint32 } from './byte-reader';
import { orientationOf } from './exif-orientation';
import { isPlainSrgb } from './icc-profile';
import { isCritical, withSoundCriticalChunks } from './png-critical-chunks';

const SIGNATURE_BYTES = 8;
/** Length, type and CRC around a chunk's data. */
const CHUNK_OVERHEAD = 12;
/** Encoders write chunks of 4 KB and more: this is room for 400 MB of them, and an end for files of empty ones. */
const MAX_CHUNKS = 100_000;
/** A colour profile that inflates to more than this is not looked into (real ones stay under 2 MB). */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
/** Chunks of another length are damaged; decoders ignore them, and some of them fail over them. */
const COLOUR_CHUNK_BYTES: Readonly<Record<string, number>> = {
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 8,
};
/** gAMA of sRGB images: 1/2.2 in units of 1/100000. */
const SRGB_GAMMA = 45455;
/** cHRM of sRGB (white, red, green, blue as x, y in units of 1/100000). */
const SRGB_CHROMATICITIES = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];

export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The whole chunk as stored, with length, type and CRC. */
  readonly raw: Uint8Array;
}

export interface PngStructure {
  /** As stored; the orientation is not applied. */
  readonly stored: Dimensions;
  readonly orientation: Orientation;
  /** Bits of a sample: 1, 2, 4, 8 or 16. */
  readonly bitDepth: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  readonly colourType: number;
  readonly isInterlaced: boolean;
  readonly isAnimated: boolean;
  /** Chunks that say which colours the samples mean, where that is not plain sRGB. */
  readonly colourChunks: readonly PngChunk[];
  /** Every chunk up to IEND. */
  readonly chunks: readonly PngChunk[];
}

/** The last chunk of every PNG: no data, and their checksum. */
const END: PngChunk = {
  type: 'IEND',
  data: new Uint8Array(),
  raw: Uint8Array.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
};

/** @throws ImageRefused undecodable_image when the header is damaged. */
export function readPngDimensions(bytes: Uint8Array): Dimensions {
  const isHeader = uint32(bytes, SIGNATURE_BYTES) === 13 && text(bytes, 12, 16) === 'IHDR';
  const width = uint32(bytes, 16);
  const height = uint32(bytes, 20);
  if (!isHeader || width === undefined || height === undefined) {
    throw new ImageRefused(
      'undecodable_image',
      'The PNG is damaged: it does not begin with an image header.',
    );
  }
  if (width === 0 || height === 0) {
    throw new ImageRefused('undecodable_image', 'The PNG is damaged: its width or height is zero.');
  }
  return { width, height };
}

/** @throws ImageRefused undecodable_image when the header is damaged, or there is no image data. */
export function readPngStructure(bytes: Uint8Array): PngStructure {
  const stored = readPngDimensions(bytes);
  const chunks = withSoundCriticalChunks(readChunks(bytes), END);
  const exif = chunks.find(({ type }) => type === 'eXIf');
  return {
    stored,
    orientation: exif ? orientationOf(exif.data) : 1,
    bitDepth: bytes[SIGNATURE_BYTES + 16],
    colourType: bytes[SIGNATURE_BYTES + 17],
    isInterlaced: bytes[SIGNATURE_BYTES + 20] === 1,
    isAnimated: chunks.some(({ type }) => type === 'acTL'),
    colourChunks: meaningfulColourChunks(chunks),
    chunks,
  };
}

/** The file with only what its pixels need: critical chunks, transparency, and colour where it matters. */
export function withoutMetadata(bytes: Uint8Array, { chunks, colourChunks }: PngStructure): Uint8Array {
  const kept = chunks.filter(
    (chunk) => isCritical(chunk) || chunk.type === 'tRNS' || colourChunks.includes(chunk),
  );
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...kept.map(({ raw }) => raw)]);
}

/** A freshly encoded PNG with colour chunks of its source put in behind the header. */
export function withColourChunks(png: Uint8Array, colourChunks: readonly PngChunk[]): Uint8Array {
  if (colourChunks.length === 0) return png;
  const structure = readPngStructure(png);
  const [header, ...rest] = structure.chunks;
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    header.raw,
    ...colourChunks.map(({ raw }) => raw),
    ...rest.filter((chunk) => !structure.colourChunks.includes(chunk)).map(({ raw }) => raw),
  ]);
}

function readChunks(bytes: Uint8Array): PngChunk[] {
  const chunks: PngChunk[] = [];
  let at = SIGNATURE_BYTES;
  for (let length = uint32(bytes, at); length !== undefined; length = uint32(bytes, at)) {
    const end = at + CHUNK_OVERHEAD + length;
    if (end > bytes.length) break;
    const type = text(bytes, at + 4, at + 8);
    const chunk = { type, data: bytes.subarray(at + 8, end - 4), raw: bytes.subarray(at, end) };
    // Decoders ignore an ancillary chunk with a wrong checksum; a critical one is theirs to refuse.
    if (isCritical(chunk) || crc32(bytes.subarray(at + 4, end - 4)) === uint32(bytes, end - 4))
      chunks.push(chunk);
    if (type === 'IEND') break;
    if (chunks.length > MAX_CHUNKS) {
      throw new ImageRefused('undecodable_image', 'The PNG has too many chunks.');
    }
    at = end;
  }
  return chunks;
}

/**
 * Precedence of the specification (PNG 4.3): cICP over iCCP over sRGB over gAMA with cHRM. Only the winner
 * is kept, and only when it says something else than sRGB, which is what viewers assume without any.
 */
function meaningfulColourChunks(chunks: readonly PngChunk[]): PngChunk[] {
  const isWhole = ({ type, data }: PngChunk) => data.length === (COLOUR_CHUNK_BYTES[type] ?? data.length);
  const find = (type: string) => chunks.filter((chunk) => chunk.type === type && isWhole(chunk)).slice(0, 1);
  const first = (type: string) => find(type).at(0);
  const cicp = first('cICP');
  if (cicp) return [cicp, ...find('mDCV'), ...find('cLLI')];
  const iccp = first('iCCP');
  if (iccp) return isPlainSrgbChunk(iccp) ? [] : [iccp];
  if (find('sRGB').length > 0) return [];
  const gamma = first('gAMA');
  const chromaticities = first('cHRM');
  const saysSrgb =
    (!gamma || uint32(gamma.data, 0) === SRGB_GAMMA) &&
    (!chromaticities ||
      SRGB_CHROMATICITIES.every((value, i) => uint32(chromaticities.data, i * 4) === value));
  return saysSrgb ? [] : [...find('gAMA'), ...find('cHRM')];
}

/** iCCP: a name, a zero, the compression method (0), the deflated profile. Damaged ones are kept as they are. */
function isPlainSrgbChunk({ data }: PngChunk): boolean {
  const nameEnd = data.indexOf(0);
  if (nameEnd < 0) return false;
  try {
    return isPlainSrgb(inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: MAX_PROFILE_BYTES }));
  } catch {
    return false;
  }
}
