/** PNG as a format of results that were no PNGs: without loss only. Uploads of PNG have candidates of their own. */
import { pngWithBlocks } from '../../formats/png/png-metadata';
import { pngOfPixels } from '../../formats/png/png-chunks';
import type { PngCodec } from '../codecs.port';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import type { FormatCoding } from '../result-format.port';

/** Largest width and height (W3C PNG, 11.2.1). */
const MAX_SIDE_PX = 2 ** 31 - 1;

export function pngFormat(codec: PngCodec): FormatCoding {
  return {
    maxSidePx: MAX_SIDE_PX,
    hasAlpha: true,
    holds: BLOCK_NAMES,
    encodeLosslessly: async (pixels, { effort, metadata }) =>
      pngWithBlocks(await codec.optimise(pngOfPixels(pixels), effort), metadata),
    // Of photos.
    losslessMs: { fast: 500, balanced: 1_700, max: 1_900 },
    lossy: [],
    decode: (png) => codec.decode(png),
  };
}
