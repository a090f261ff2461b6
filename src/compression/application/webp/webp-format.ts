/** WebP as a format of results: lossy in 4:2:0 for photos, (nearly) lossless for graphics and for colours that 4:2:0 stains. Measured on calibration images (docs/measurements.md). */
import type { Effort } from '../../domain/compression-policy';
import { isTriedWhole } from '../../domain/search/mosaic';
import { curveAt, shiftForDensity, type CurveModel } from '../../domain/search/trial-curve';
import type { ResultCodec } from '../codecs.port';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import type { FormatCoding } from '../result-format.port';

/** Largest width and height: the format stores 14 bits. */
const MAX_SIDE_PX = 16_383;
/** The encoder's method. From 4 to 6, bytes fall by 2% and time grows by three quarters. */
const METHOD: Readonly<Record<Effort, number>> = { fast: 4, balanced: 4, max: 6 };
/** For lossless files: 6 takes 30 times as long and saves at most 9%. */
const LOSSLESS_METHOD = 4;
/** Coloured text of 5 drawings saved as JPG: 0.43 to 0.53 and 0.52 to 0.61 of the bytes without loss, at a Butteraugli of 1.5 to 2.6 and 0.8 to 1.5. */
const NEAR_LOSSLESS = [4, 3];
/** Share of the allowed loss that may stay unused; a quality step is 6% of it. */
const ROOM: Readonly<Record<Effort, number>> = { fast: 1, balanced: 0.12, max: 0.05 };
const SMALL_PIXELS = 3_000_000;
/** As for JPEG: standard deviation 4.5%. */
const LOSS_OF_FEW_TILES = 1.08;

/** Above this quality, chroma is always sharp. */
const HIGHEST_SHARED = 92;
/**
 * With a weight of 1, the median of 125 calibration images has an SSIMULACRA2 of 81.2 where JPEGs have 80; with this one 80.0, and the
 * Butteraugli of JPEGs. From a density of 2, both formats have the same.
 */
const LOSS_WEIGHT = 1 / 1.1;

/** Loss falls with the 1.72nd power of 110 − quality, and size with the −1.23rd; the scale halves both. */
const CURVE: CurveModel = {
  position: (quality) => 2 * Math.log(110 - quality),
  qualityAt: (position) => 110 - Math.exp(position / 2),
  lossSlope: 0.86,
  sizeSlope: -0.615,
  riseByDensity: 2.2,
  hasJumps: false,
};

export function webpFormat(codec: ResultCodec): FormatCoding {
  return {
    maxSidePx: MAX_SIDE_PX,
    hasAlpha: true,
    holds: BLOCK_NAMES,
    lossWeight: (density) => Math.min(1, LOSS_WEIGHT + (density - 1) * (1 - LOSS_WEIGHT)),
    encodeLosslessly: (pixels, { metadata, lostBits }) =>
      codec.encode(pixels, { isLossless: true, lostBits, quality: 80, effort: LOSSLESS_METHOD, metadata }),
    lostBits: NEAR_LOSSLESS,
    lossy: [
      {
        chroma: '4:2:0',
        curve: ({ density }) => curveAt(density, CURVE),
        range: (density) => ({ lowest: density > 1 ? 1 : 20, highest: 98 }),
        tiles: { seamPx: 8 },
        trials: ({ density, pixelCount }) => ({
          of: 'mosaic',
          firstStep: shiftForDensity(CURVE, 85, density),
          lossRatio: density === 1 || isTriedWhole(pixelCount, density) ? 1.03 : LOSS_OF_FEW_TILES,
          sizeRatio: 0.96,
        }),
        patience: ({ effort, pixelCount }) => ({
          toleratedRoom: pixelCount >= SMALL_PIXELS ? Math.max(0.15, ROOM[effort]) : ROOM[effort],
          encodesForBytes: effort === 'fast' ? 1 : 2,
        }),
        encode: (pixels, { quality, image, metadata }) => {
          const effort = METHOD[image.effort];
          // At higher densities, where qualities are low, sharp chroma saved 1.6% of the bytes of 25 photos. If a high quality is
          // still not enough, shared chroma may be the reason.
          const isSaving = image.density > 1 || quality > HIGHEST_SHARED;
          const hasSharpChroma = isSaving || image.needsSharpChroma?.();
          return codec.encode(pixels, { isLossless: false, quality, effort, hasSharpChroma, metadata });
        },
      },
    ],
    decode: (webp) => codec.decode(webp),
  };
}
