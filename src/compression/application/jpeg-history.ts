/** What a JPEG has been through before it came here, and what that has left of the loss that is allowed. */
import { blockOrigin } from '../domain/history/block-grid';
import type { ChromaMode } from '../domain/search/chroma-choice';
import { formerQuality } from '../domain/history/coding-history';
import type { Orientation } from '../domain/dimensions';
import type { Pixels } from '../domain/pixels';
import { sampleMosaic } from '../domain/search/sample-mosaic';
import { savedQuality } from '../domain/history/saved-quality';
import { remainingLoss } from '../domain/history/spent-quality';
import type { JpegStructure } from '../formats/jpeg/jpeg-structure';

/**
 * What the codings that the source has been through left of the allowed loss, 0..1.
 * @param pixels of the source, turned as its orientation says
 * @param own looks at the picture in the source's own chroma mode
 */
export async function remainingOf(
  { lumaDivisors }: JpegStructure,
  pixels: Pixels,
  turn: Orientation,
  own: ChromaMode,
  targetScore: number,
): Promise<number> {
  if (!lumaDivisors) return 1;
  const blocks = sampleMosaic(pixels, blockOrigin(pixels, turn));
  const former = formerQuality(blocks.pixels, lumaDivisors, turn >= 5);
  const codings = [savedQuality(lumaDivisors), ...(former ? [former] : [])];
  return remainingLoss(codings, own, targetScore, Math.min(pixels.width, pixels.height));
}
