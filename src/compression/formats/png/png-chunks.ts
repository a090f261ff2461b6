/** Reads and writes the chunks of a PNG file (W3C PNG, third edition, 5) without inflating them. */
import { crc32 } from 'node:zlib';
import { tooManyChunks } from '../../../contract/image-problems';
import { text, uint32 } from '../byte-reader';

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

/** Returns whether decoders need the chunk: the first letter of its type is upper case. */
export function isCritical({ type }: Pick<PngChunk, 'type'>): boolean {
  return type.charCodeAt(0) < 0x60;
}

/** Returns whether the checksum of the chunk is right. */
export function isSound({ raw }: Pick<PngChunk, 'raw'>): boolean {
  return crc32(raw.subarray(4, raw.length - 4)) === uint32(raw, raw.length - 4);
}

export function readChunks(bytes: Uint8Array): PngChunk[] {
  const chunks: PngChunk[] = [];
  let at = SIGNATURE_BYTES;
  for (let length = uint32(bytes, at); length !== undefined; length = uint32(bytes, at)) {
    const end = at + CHUNK_OVERHEAD + length;
    if (end > bytes.length) break;
    const type = text(bytes, at + 4, at + 8);
    const chunk = { type, data: bytes.subarray(at + 8, end - 4), raw: bytes.subarray(at, end) };
    // Decoders ignore ancillary chunks with a wrong checksum. Critical ones stay, so that the decoder refuses the file.
    if (isCritical(chunk) || isSound(chunk)) chunks.push(chunk);
    if (type === 'IEND') break;
    if (chunks.length > MAX_CHUNKS) throw tooManyChunks();
    at = end;
  }
  return chunks;
}

/** Returns the data of all chunks of a type. */
export function dataOf(chunks: readonly PngChunk[], wanted: string): Uint8Array[] {
  return chunks.flatMap(({ type, data }) => (type === wanted ? [data] : []));
}

/** Returns a new chunk with its checksum. */
export function pngChunk(type: string, data: Uint8Array): PngChunk {
  const raw = Buffer.alloc(data.length + 12);
  raw.writeUInt32BE(data.length);
  raw.write(type, 4, 'latin1');
  raw.set(data, 8);
  raw.writeUInt32BE(crc32(raw.subarray(4, data.length + 8)), data.length + 8);
  return { type, data, raw };
}
