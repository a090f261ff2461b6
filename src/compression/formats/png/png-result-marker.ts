/**
 * How this service recognises its own PNGs without decoding them: a private chunk `icRS` with what the file was made for
 * and a checksum of everything that decides the pixels. Other tools may add or remove metadata; a file whose pixels were
 * coded again no longer matches.
 *
 * 9 bytes: the mode (place in PNG_MODES), the target score in millionths, the checksum; the numbers big-endian.
 * The letters' cases say: ancillary, private, not to be copied by an editor that changes the pixels (W3C PNG, 5.4).
 */
import { crc32 } from 'node:zlib';
import { PNG_MODES, type CompressionPolicy } from '../../domain/compression-policy';
import { readChunks, pngChunk, isCritical, type PngChunk } from './png-chunks';

const TYPE = 'icRS';
const LENGTH = 9;
const MILLION = 1e6;

type PngResultMarker = Pick<CompressionPolicy, 'pngMode' | 'targetScore'>;

/** The chunk to put into a freshly coded PNG. */
export function pngResultMarker(png: Uint8Array, { pngMode, targetScore }: PngResultMarker): PngChunk {
  const data = Buffer.alloc(LENGTH);
  data.writeUInt8(PNG_MODES.indexOf(pngMode));
  data.writeUInt32BE(Math.round(targetScore * MILLION), 1);
  data.writeUInt32BE(checksum(readChunks(png)), 5);
  return pngChunk(TYPE, data);
}

/** What a file was made for; undefined when it has no marker, or one that does not match its pixels. */
export function readPngResultMarker(chunks: readonly PngChunk[]): PngResultMarker | undefined {
  const marker = chunks.find(({ type, data }) => type === TYPE && data.length === LENGTH);
  if (!marker) return undefined;
  const data = Buffer.from(marker.data);
  const pngMode = PNG_MODES.at(data.readUInt8());
  if (!pngMode || data.readUInt32BE(5) !== checksum(chunks)) return undefined;
  return { pngMode, targetScore: data.readUInt32BE(1) / MILLION };
}

function checksum(chunks: readonly PngChunk[]): number {
  return chunks
    .filter((chunk) => isCritical(chunk) || chunk.type === 'tRNS')
    .reduce((sum, { raw }) => crc32(raw, sum), 0);
}
