/** The chunks that a PNG file is made of (W3C PNG, third edition, 5), read without inflating anything. */
import { crc32 } from 'node:zlib';
import { ImageRefused } from '../../domain/refusal';
import { text, uint32 } from '../byte-reader';

export const SIGNATURE_BYTES = 8;
/** Length, type and CRC around a chunk's data. */
const CHUNK_OVERHEAD = 12;
/** Encoders write chunks of 4 KB and more: this is room for 400 MB of them, and an end for files of empty ones. */
const MAX_CHUNKS = 100_000;
export interface PngChunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The whole chunk as stored, with length, type and CRC. */
  readonly raw: Uint8Array;
}

/** Critical chunks have an upper-case first letter; without one of them the picture is not the same. */
export function isCritical({ type }: PngChunk): boolean {
  return type.charCodeAt(0) < 0x60;
}

export function readChunks(bytes: Uint8Array): PngChunk[] {
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

/** A new chunk, with its checksum. */
export function pngChunk(type: string, data: Uint8Array): PngChunk {
  const raw = Buffer.alloc(data.length + 12);
  raw.writeUInt32BE(data.length);
  raw.write(type, 4, 'latin1');
  raw.set(data, 8);
  raw.writeUInt32BE(crc32(raw.subarray(4, data.length + 8)), data.length + 8);
  return { type, data, raw };
}
