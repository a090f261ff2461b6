/**
 * Protects pngjs against decompression bombs: it inflates all data of a PNG before it compares them with the header, so 4 MB
 * may become 4 GB, and a file of 1 KB may declare hundreds of megapixels without data. Here the data are inflated first in
 * chunks, counted and discarded.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import type { PngStructure } from '../../../formats/png/png-structure';

/** Samples per stored pixel by colour type (W3C PNG, 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The passes of Adam7 (W3C PNG, 8.1): first column, first row, column step, row step. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const SINGLE_PASS = [[0, 0, 1, 1]] as const;
const PIECE_BYTES = 256 * 1024;

/** @throws Error when the inflated data are longer or shorter than the header requires */
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
        if (length > expected) throw new Error('The PNG has more data than its header declares.');
      }
    },
  );
  if (length < expected) throw new Error('The PNG has less data than its header declares.');
}

/** Returns the bytes of all rows, including their filter bytes. */
function expectedLength({ storedSize, colourType, bitDepth, isInterlaced }: PngStructure): number {
  const bitsPerPixel = (SAMPLES[colourType] ?? NaN) * bitDepth;
  let length = 0;
  for (const [left, top, stepX, stepY] of isInterlaced ? ADAM7 : SINGLE_PASS) {
    const width = Math.ceil((storedSize.width - left) / stepX);
    const height = Math.ceil((storedSize.height - top) / stepY);
    if (width > 0 && height > 0) length += height * (1 + Math.ceil((width * bitsPerPixel) / 8));
  }
  return length;
}
