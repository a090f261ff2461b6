/** JPEG as the result of a PNG: an opaque photo. JPEG uploads have their own recipe. */
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import { jpegCurve, JPEG_CURVES, searchRange, usualAt } from '../../domain/search/trial-curve';
import { jpegWithBlocks, MAX_BLOCK_BYTES } from '../../formats/jpeg/jpeg-blocks';
import type { JpegCodec } from '../codecs.port';
import { PROGRESSIVE_SHARE } from '../jpeg/jpeg-search';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import type { LossyCoding, ResultFormat } from '../result-format.port';

/** Largest width and height (ITU-T T.81 B.2.2). */
const MAX_SIDE_PX = 65_535;

export function jpegFormat(codec: JpegCodec): ResultFormat {
  return {
    maxSidePx: MAX_SIDE_PX,
    hasAlpha: false,
    holds: BLOCK_NAMES,
    maxBlockBytes: MAX_BLOCK_BYTES,
    lossy: (['4:4:4', '4:2:0'] as const).map((chroma) => coding(codec, chroma)),
    decode: (jpeg, original) => codec.decode(jpeg, { header: headerOf(original), orientation: 1 }),
  };
}

function headerOf({ width, height, channels }: Pixels) {
  return { storedSize: { width, height }, components: { length: channels < 3 ? 1 : 3 } };
}

function coding(codec: JpegCodec, chroma: ChromaSubsampling): LossyCoding {
  return {
    chroma,
    curve: (density) => jpegCurve(chroma, density),
    range: searchRange,
    tiles: {},
    trials: ({ density }) => ({
      of: 'mosaic',
      usualStep: usualAt(JPEG_CURVES[chroma], 80, density),
      lossRatio: 1,
      sizeRatio: PROGRESSIVE_SHARE,
    }),
    patience: () => ({ toleratedRoom: 0.04, encodesForBytes: 3 }),
    encode: async (pixels, { quality, purpose, image, metadata }) => {
      const { effort } = image;
      const jpeg = await codec.encode(pixels, { quality, chroma, purpose, effort });
      return purpose === 'trial' ? jpeg : jpegWithBlocks(jpeg, metadata);
    },
  };
}
