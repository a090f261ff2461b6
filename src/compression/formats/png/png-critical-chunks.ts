/**
 * Checks the critical chunks of a PNG (W3C PNG, 5.6 and 11.2). Decoders disagree about repeated critical chunks: of two headers,
 * some use the first and some the last, but the pixel limit was checked for only one. Such files are refused before decoding.
 */
import { pngChunksUnknown, pngHeaderRepeated, pngWithoutImageData } from '../../../contract/image-problems';
import { isCritical, pngChunk, type PngChunk } from './png-chunks';

const KNOWN = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/**
 * Returns the chunks with a valid IEND, even if it is missing or has a wrong checksum: most decoders ignore that.
 * @throws ImageRefused `undecodable_image` when other critical chunks are missing, repeated or unknown
 */
export function withValidCriticalChunks(chunks: readonly PngChunk[]): readonly PngChunk[] {
  const critical = chunks.filter(isCritical);
  const count = (wanted: string) => critical.filter(({ type }) => type === wanted).length;
  if (count('IDAT') === 0) throw pngWithoutImageData();
  if (count('IHDR') !== 1 || count('PLTE') > 1) throw pngHeaderRepeated();
  if (!critical.every(({ type }) => KNOWN.includes(type))) throw pngChunksUnknown();
  return [...chunks.filter(({ type }) => type !== 'IEND'), pngChunk('IEND', new Uint8Array())];
}
