/** Marks the PNGs of this service with a private chunk: see result-policy.ts. */
import { crc32 } from 'node:zlib';
import { readResultPolicy, writeResultPolicy, type ResultPolicy } from '../result-policy';
import { FRAME_CHUNKS } from './png-animation';
import { firstData, readChunks, pngChunk, isCritical, type PngChunk } from './png-chunks';

export const RESULT_CHUNK = 'icRS';
/** Marks a lossy file. Editors that change pixels remove a chunk with such letters (W3C PNG, 5.4). */
export const LOSSY_CHUNK = 'icNL';

export function pngResultMarker(png: Uint8Array, policy: ResultPolicy): PngChunk {
  return pngChunk(RESULT_CHUNK, writeResultPolicy(policy, checksum(readChunks(png))));
}

/** Returns the policy in the marker; undefined if there is no marker or it does not match the pixels. */
export function readPngResultMarker(chunks: readonly PngChunk[]): ResultPolicy | undefined {
  return readResultPolicy(firstData(chunks, RESULT_CHUNK), checksum(chunks));
}

function checksum(chunks: readonly PngChunk[]) {
  return chunks
    .filter((chunk) => isCritical(chunk) || chunk.type === 'tRNS' || FRAME_CHUNKS.includes(chunk.type))
    .reduce((sum, { raw }) => crc32(raw, sum), 0);
}
