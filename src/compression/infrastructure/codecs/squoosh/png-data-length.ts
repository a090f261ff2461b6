/**
 * Protects pngjs against decompression bombs. pngjs inflates all data of a PNG before it compares them with the header, so 4 MB
 * may become 4 GB, and a file of 1 KB may declare hundreds of megapixels without data. Here the data are inflated in chunks
 * first, counted and discarded.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { bytesOfRows } from '../../../formats/png/png-passes';
import type { PngStructure } from '../../../formats/png/png-structure';

const PIECE_BYTES = 256 * 1024;

/** @throws Error when the inflated data are longer or shorter than the header requires */
export async function checkDataLength(structure: PngStructure): Promise<void> {
  const expected = bytesOfRows(structure);
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
