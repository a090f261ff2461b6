/** Reads the chunks of a PNG file (W3C PNG, third edition, 5) without inflating them, and writes PNG files. */
import { crc32, deflateSync } from 'node:zlib';
import { tooManyChunks } from '../../../contract/image-problems';
import { text, uint32, uint32s } from '../bytes';
import type { Dimensions } from '../../domain/dimensions';
import type { Pixels } from '../../domain/pixels';

export const SIGNATURE_BYTES = 8;
/** Bytes of length, type and CRC around the data of a chunk. */
export const CHUNK_OVERHEAD = 12;
/** Encoders write chunks of 4 KB and more, so this allows 400 MB; it stops files with many empty chunks. */
export const MAX_CHUNKS = 100_000;
export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The whole chunk as stored, with length, type and CRC. */
  readonly raw: Uint8Array;
}

/** The first letter is upper case (W3C PNG, 5.4). */
export function isCritical({ type }: Pick<PngChunk, 'type'>): boolean {
  return type.charCodeAt(0) < 0x60;
}

export function isSound({ raw }: Pick<PngChunk, 'raw'>): boolean {
  return crc32(raw.subarray(4, raw.length - 4)) === uint32(raw, raw.length - 4);
}

export function* storedChunks(bytes: Uint8Array): Generator<PngChunk> {
  let at = SIGNATURE_BYTES;
  for (let length = uint32(bytes, at); length !== undefined; length = uint32(bytes, at)) {
    const end = at + CHUNK_OVERHEAD + length;
    if (end > bytes.length) return;
    const type = text(bytes, at + 4, at + 8);
    yield { type, data: bytes.subarray(at + 8, end - 4), raw: bytes.subarray(at, end) };
    if (type === 'IEND') return;
    at = end;
  }
}

/** Returns what follows the last complete chunk. */
export function bytesBehind(png: Uint8Array): Uint8Array {
  let end = SIGNATURE_BYTES;
  for (const { raw } of storedChunks(png)) end += raw.length;
  return png.subarray(end);
}

export function readChunks(bytes: Uint8Array): PngChunk[] {
  const chunks: PngChunk[] = [];
  let count = 0;
  for (const chunk of storedChunks(bytes)) {
    if (++count > MAX_CHUNKS) throw tooManyChunks();
    // Decoders ignore ancillary chunks with a wrong checksum. Critical ones stay, so that the decoder refuses the file.
    if (isCritical(chunk) || isSound(chunk)) chunks.push(chunk);
  }
  return chunks;
}

/** Returns the data of the first chunk of a type. */
export function firstData(chunks: readonly PngChunk[], wanted: string): Uint8Array | undefined {
  return chunks.find(({ type }) => type === wanted)?.data;
}

export function findData(chunks: readonly PngChunk[], wanted: string): Uint8Array[] {
  return chunks.flatMap(({ type, data }) => (type === wanted ? [data] : []));
}

export function pngChunk(type: string, data: Uint8Array): PngChunk {
  const raw = Buffer.alloc(data.length + 12);
  raw.writeUInt32BE(data.length);
  raw.write(type, 4, 'latin1');
  raw.set(data, 8);
  raw.writeUInt32BE(crc32(raw.subarray(4, data.length + 8)), data.length + 8);
  return { type, data, raw };
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Colour types by number of channels (W3C PNG, 11.2.1): grey, grey with alpha, RGB, RGBA. */
export const COLOUR_TYPES = { 1: 0, 2: 4, 3: 2, 4: 6 } as const;

export function unfilteredRows({ width, height, channels, data }: Pixels): Uint8Array {
  const length = width * channels;
  const rows = new Uint8Array((length + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(data.subarray(y * length, (y + 1) * length), y * (length + 1) + 1);
  return rows;
}

/** @param deflated zlib stream of the filtered rows, with 8 bits per sample */
export function pngOfRows(image: Omit<Pixels, 'data'>, deflated: Uint8Array): Uint8Array {
  return pngOfChunks([headerChunk(image, 8, COLOUR_TYPES[image.channels]), pngChunk('IDAT', deflated)]);
}

export function headerChunk({ width, height }: Dimensions, bitDepth: number, colourType: number): PngChunk {
  return pngChunk('IHDR', Buffer.of(...uint32s(width, height), bitDepth, colourType, 0, 0, 0));
}

/** A new IEND replaces the present one. */
export function pngOfChunks(chunks: readonly PngChunk[]): Uint8Array {
  return Buffer.concat([SIGNATURE, ...withEnd(chunks).map(({ raw }) => raw)]);
}

export function withEnd(chunks: readonly PngChunk[]): PngChunk[] {
  return [...chunks.filter(({ type }) => type !== 'IEND'), pngChunk('IEND', new Uint8Array())];
}

/** Returns the file with other data in place of the first of its own. @param deflated zlib stream of the filtered rows */
export function withImageData(chunks: readonly PngChunk[], deflated: Uint8Array): Uint8Array {
  const first = chunks.findIndex(({ type }) => type === 'IDAT');
  const others = chunks.map((chunk, i) => (i === first ? pngChunk('IDAT', deflated) : chunk));
  return pngOfChunks(others.filter(({ type }, i) => type !== 'IDAT' || i === first));
}

/** Barely compressed: the input of an encoder. */
export function pngOfPixels(pixels: Pixels): Uint8Array {
  return pngOfRows(pixels, deflateSync(unfilteredRows(pixels), { level: 1 }));
}
