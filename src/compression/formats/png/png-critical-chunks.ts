/**
 * The chunks that a PNG cannot be shown without (W3C PNG, 5.6 and 11.2). Decoders differ in what they make of a file
 * that has two of one or one of none: of two headers some believe the first and some the last, and only one of them has
 * been held against the limit of pixels. Such files are refused before any decoder is asked.
 */
import { ImageRefused } from '../../domain/refusal';
import { isCritical, pngChunk, type PngChunk } from './png-chunks';

const KNOWN = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/**
 * The chunks themselves, with an end behind them where a file that is otherwise whole has lost its own.
 * @throws ImageRefused undecodable_image when critical chunks are missing, repeated or unknown.
 */
export function withSoundCriticalChunks(chunks: readonly PngChunk[]): readonly PngChunk[] {
  const critical = chunks.filter(isCritical);
  const count = (wanted: string) => critical.filter(({ type }) => type === wanted).length;
  if (count('IDAT') === 0) throw damaged('it has no image data');
  if (count('IHDR') !== 1 || count('PLTE') > 1) throw damaged('it has more than one header or palette');
  if (!critical.every(({ type }) => KNOWN.includes(type))) {
    throw damaged('it has chunks that its picture depends on and that no standard knows');
  }
  return chunks.at(-1)?.type === 'IEND' ? chunks : [...chunks, pngChunk('IEND', new Uint8Array())];
}

function damaged(how: string): ImageRefused {
  return new ImageRefused('undecodable_image', `The PNG is damaged: ${how}.`);
}
