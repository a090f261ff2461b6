/**
 * Marks the PNGs of this service with a private chunk: the policy and a checksum of all that determines the pixels.
 *
 * 9 bytes, big-endian: 0, the target in millionths, the checksum; then the density in tenths if it is not 1. Earlier releases wrote
 * another first byte for results with fewer losses.
 */
import { crc32 } from 'node:zlib';
import { QUALITY_TARGETS, storedMillionths, type CompressionPolicy } from '../../domain/compression-policy';
import { FRAME_CHUNKS } from './png-animation';
import { readChunks, pngChunk, isCritical, type PngChunk } from './png-chunks';

export const RESULT_CHUNK = 'icRS';
/** Marks a lossy file. Editors that change pixels remove a chunk with such letters (W3C PNG, 5.4). */
export const LOSSY_CHUNK = 'icNL';
const LENGTH = 9;
const LENGTH_WITH_DENSITY = 10;
const LENGTHS = [LENGTH, LENGTH_WITH_DENSITY];
const MILLION = 1e6;

type PngResultMarker = Pick<CompressionPolicy, 'targetScore' | 'density'>;

export function pngResultMarker(png: Uint8Array, { targetScore, density }: PngResultMarker): PngChunk {
  const data = Buffer.alloc(density === 1 ? LENGTH : LENGTH_WITH_DENSITY);
  data.writeUInt32BE(storedMillionths(targetScore), 1);
  data.writeUInt32BE(checksum(readChunks(png)), 5);
  if (density !== 1) data.writeUInt8(Math.round(density * 10), LENGTH);
  return pngChunk(RESULT_CHUNK, data);
}

/** Returns the policy in the marker; undefined if there is no marker or it does not match the pixels. */
export function readPngResultMarker(chunks: readonly PngChunk[]): PngResultMarker | undefined {
  const marker = chunks.find(({ type, data }) => type === RESULT_CHUNK && LENGTHS.includes(data.length));
  if (!marker) return undefined;
  const data = Buffer.from(marker.data);
  if (data.readUInt32BE(5) !== checksum(chunks)) return undefined;
  const density = data.length === LENGTH ? 1 : data.readUInt8(LENGTH) / 10;
  const targetScore = data[0] === 0 ? data.readUInt32BE(1) / MILLION : QUALITY_TARGETS.lossless;
  return { targetScore, density };
}

function checksum(chunks: readonly PngChunk[]): number {
  return chunks
    .filter((chunk) => isCritical(chunk) || chunk.type === 'tRNS' || FRAME_CHUNKS.includes(chunk.type))
    .reduce((sum, { raw }) => crc32(raw, sum), 0);
}
