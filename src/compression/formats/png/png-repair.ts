/**
 * Repairs image data that hold all rows and then too much, or a wrong Adler-32. Browsers show such files; most decoders refuse
 * them. Inflation stops at the last row: a few bytes can inflate to gigabytes.
 */
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, createInflateRaw } from 'node:zlib';
import { isSound, withImageData } from './png-chunks';
import { bytesOfRows } from './png-raw-rows';
import type { PngStructure } from './png-structure';

const ZLIB_HEADER_BYTES = 2;

/** Returns a copy whose data are its rows alone; undefined if rows are missing or other parts are damaged. */
export async function withExactRows(structure: PngStructure): Promise<Uint8Array | undefined> {
  const { chunks } = structure;
  const data = chunks.filter(({ type }) => type === 'IDAT');
  const stored = Buffer.concat(data.map((chunk) => chunk.data));
  if (!data.every(isSound) || stored.length < ZLIB_HEADER_BYTES || !isDeflated(stored)) return undefined;
  const rows = firstBytes(stored.subarray(ZLIB_HEADER_BYTES), bytesOfRows(structure));
  // Piece by piece: an image may have more rows than memory.
  const deflated = await pipeline(rows, createDeflate(), buffer).catch(() => undefined);
  return deflated && withImageData(chunks, deflated);
}

/** The header of a zlib stream without a dictionary (RFC 1950, 2.2). */
function isDeflated(stored: Buffer) {
  return (stored[0] & 0x8f) === 8 && (stored[1] & 0x20) === 0 && stored.readUInt16BE() % 31 === 0;
}

/** @throws Error when there are fewer */
async function* firstBytes(deflated: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  // Without the header zlib checks no Adler-32. The flush allows an end right behind the last row.
  const inflating = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  inflating.end(deflated);
  let missing = length;
  for await (const piece of inflating as AsyncIterable<Uint8Array>) {
    yield piece.subarray(0, missing);
    missing -= Math.min(missing, piece.length);
    if (missing === 0) return;
  }
  throw new Error('Rows are missing.');
}
