/** Writes PNG files from filtered rows. */
import { deflateSync } from 'node:zlib';
import type { Pixels } from '../../domain/pixels';
import { pngChunk, SIGNATURE_BYTES, type PngChunk } from './png-chunks';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Colour types by number of channels (W3C PNG, 11.2.1): grey, grey with alpha, RGB, RGBA. */
const COLOUR_TYPES = { 1: 0, 2: 4, 3: 2, 4: 6 } as const;
/**
 * Marks a lossy file, so that another encode does not add further errors. The case of its letters makes the chunk ancillary,
 * private and unsafe to copy, so editors that change pixels remove it (W3C PNG, 5.4).
 */
export const LOSSY_CHUNK = 'icNL';

/** Returns the rows, each preceded by filter type 0 (None). */
export function unfilteredRows({ width, height, channels, data }: Pixels): Uint8Array {
  const length = width * channels;
  const rows = new Uint8Array((length + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(data.subarray(y * length, (y + 1) * length), y * (length + 1) + 1);
  return rows;
}

/**
 * Returns a PNG file.
 * @param deflated zlib stream of the filtered rows, with 8 bits per sample
 */
export function pngOfRows(
  { width, height, channels }: Omit<Pixels, 'data'>,
  deflated: Uint8Array,
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPES[channels]], SIGNATURE_BYTES);
  return pngOfChunks([
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflated),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

/** Returns a PNG file with these chunks, in this order. */
export function pngOfChunks(chunks: readonly PngChunk[]): Uint8Array {
  return Buffer.concat([SIGNATURE, ...chunks.map(({ raw }) => raw)]);
}

/** Returns a fast, barely compressed PNG file as input for an encoder. */
export function pngOfPixels(pixels: Pixels): Uint8Array {
  return pngOfRows(pixels, deflateSync(unfilteredRows(pixels), { level: 1 }));
}
