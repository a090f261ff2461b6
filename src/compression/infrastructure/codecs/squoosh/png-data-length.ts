/**
 * pngjs inflates what a PNG holds before it asks whether that can be its picture: 4 MB may become 4 GB, and 1 KB with a
 * large header a picture of hundreds of megapixels without data. Here the data are inflated first, piece by piece,
 * counted and thrown away.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import type { PngStructure } from '../../../formats/png/png-structure';

/** Samples of a stored pixel by colour type (W3C PNG, 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Adam7's passes (8.1): first column and row, and the steps from there. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const ALL_AT_ONCE = [[0, 0, 1, 1]] as const;
const PIECE_BYTES = 256 * 1024;

/** @throws Error when the data inflate to more or less than a picture of this header has. */
export async function checkDataLength(structure: PngStructure): Promise<void> {
  const expected = expectedLength(structure);
  const data = structure.chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  let length = 0;
  await pipeline(
    Readable.from(data),
    createInflate({ chunkSize: PIECE_BYTES }),
    async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) {
        length += piece.length;
        if (length > expected) throw new Error('The PNG has more data than its picture.');
      }
    },
  );
  if (length < expected) throw new Error('The PNG has less data than its picture.');
}

/** Bytes of all rows, each with its filter byte. */
function expectedLength({ stored, colourType, bitDepth, isInterlaced }: PngStructure): number {
  const bitsPerPixel = (SAMPLES[colourType] ?? NaN) * bitDepth;
  let length = 0;
  for (const [left, top, stepX, stepY] of isInterlaced ? ADAM7 : ALL_AT_ONCE) {
    const width = Math.ceil((stored.width - left) / stepX);
    const height = Math.ceil((stored.height - top) / stepY);
    if (width > 0 && height > 0) length += height * (1 + Math.ceil((width * bitsPerPixel) / 8));
  }
  return length;
}
