/** AVIF. Measured with libaom tuned for still images, on calibration images and photos of 1 to 11 megapixels (docs/measurements.md). */
import type { Effort } from '../../domain/compression-policy';
import type { TileOptions } from '../../domain/search/mosaic';
import type { Patience } from '../../domain/search/quality-search';
import { curveAt, shiftForDensity, type CurveModel } from '../../domain/search/trial-curve';
import type { ResultCodec } from '../codecs.port';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import type { ImageFacts, FormatCoding, TrialPlan } from '../result-format.port';

/** Largest width and height of libheif's and libavif's encoders. */
const MAX_SIDE_PX = 16_384;
/** Smaller AVIFs get more encoder effort: 0.6 to 1.6 s at the effort 4. */
const SMALL_AVIF_PIXELS = 600_000;
const LARGE_PIXELS = 3_000_000;
const HUGE_PIXELS = 8_000_000;
/** Graphics up to this size are tried as a whole; a 4K screen has 8.3 million pixels. */
const MAX_WHOLE_PIXELS = 8_500_000;

/** Milliseconds of processor time a megapixel and bit per pixel at an effort, and the bits that every pixel costs besides (2 photos). */
// prettier-ignore
const ENCODE_MS: Readonly<Record<number, number>> = { 0: 150, 1: 300, 2: 400, 3: 800, 4: 3_000, 6: 8_500 };
const LEAST_BITS = 0.2;
/** Before a mosaic shows the bits. */
const USUAL_BITS = 0.7;

type Efforts = readonly [small: number, medium: number, large: number];
/** From 2 to 4, bytes fall by a seventh and time grows eightfold; 6 saves 3% more in 2.5 times the time. */
const PHOTO_EFFORTS: Readonly<Record<Effort, Efforts>> = {
  fast: [1, 1, 0],
  balanced: [4, 2, 1],
  max: [6, 4, 4],
};
/** At densities above 1, such photos of medium size get 3 instead of 2: 6% fewer bytes (8 photos). */
const CHEAP_BITS = 0.65;
const CHEAP_EFFORT = 3;
/** Flat drawings lose half as much at 2 as at 1, and at 3 as at 2. */
const GRAPHIC_EFFORTS: Readonly<Record<Effort, Efforts>> = {
  fast: [2, 2, 1],
  balanced: [4, 3, 2],
  max: [6, 4, 4],
};
/** Loss at an effort ÷ loss of a mosaic in a trial at the same quality. */
const LOSS_OF_MOSAIC: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 4: 0.9 };
/** Loss at an effort ÷ loss of the whole image at WHOLE_EFFORT and the same quality. Less effort predicts no more. */
const LOSS_OF_WHOLE: Readonly<Record<number, number>> = { 4: 0.935, 6: 0.9 };
const WHOLE_EFFORT = 3;
const MOSAIC_EFFORT = 2;
/**
 * A miss costs another encode. Photos lose 0.994 times as much as their mosaic at 1600 px (standard deviation 2.4%),
 * 1.014 times at 6 to 11 megapixels (3.5%; 13 photos), 1.03 times at densities above 1 (4%; 8 photos).
 */
const CAUTION = { wholeGraphic: 1.015, wholePhoto: 1.01, medium: 1, mediumDense: 1.045, large: 1.02 };
/**
 * Tiles of 80 px, of which 64 are scored. A border of 8 px keeps the score's blocks on the encoder's grid: with 4 or 12 px the
 * loss of the mosaic is within 4 to 5% of the loss of the image, with 8 or 16 px within 2% (13 photos, 36 to 64 tiles of 96 to 128 px).
 */
const TILES: TileOptions = { seamPx: 8, maxTiles: 81 };

/** The qualities whose files differ, one per search step: libaom has 64 quantizers. The search never encodes the same file twice. */
// prettier-ignore
const QUALITIES = [
  10, 12, 14, 16, 18, 20, 22, 24,
  26, 28, 30, 32, 34, 35, 37, 39, 40, 42, 44, 45, 47, 49, 50, 52, 54, 55, 56, 58, 59, 60, 62, 63, 64,
  66, 67, 68, 70, 71, 72, 74, 75, 76, 78, 79, 80, 82, 83, 84, 86, 87, 88, 90, 91, 92, 94, 95, 96,
];
/**
 * −log of the loss at these qualities, up to a constant: the means of 22 mosaics. The loss falls by 5% per step, and by 9 to 13%
 * at 45, 67 and 87, where libaom seems to change its quantization matrices.
 */
// prettier-ignore
const FALLEN = [
  -0.72, -0.63, -0.54, -0.45, -0.36, -0.27, -0.18, -0.09,
  0, 0.09, 0.18, 0.25, 0.33, 0.42, 0.50, 0.57, 0.65, 0.73, 0.80, 0.90, 0.99, 1.07, 1.15, 1.23, 1.30, 1.37, 1.42, 1.48, 1.53, 1.58, 1.63, 1.68, 1.73,
  1.78, 1.87, 1.93, 1.97, 2.03, 2.07, 2.12, 2.18, 2.23, 2.28, 2.36, 2.41, 2.47, 2.53, 2.60, 2.68, 2.81, 2.92, 3.03, 3.14, 3.29, 3.39, 3.52, 3.62,
];
const HIGHEST = QUALITIES.length - 1;
/** Lower qualities show at a density of 1. */
const LOWEST_OF_SINGLE_PIXELS = QUALITIES.indexOf(26);
const SIZE_SLOPE = -0.8;
const CURVE: CurveModel = {
  position: (step) => -fallenAt(step),
  qualityAt: (position) => stepAt(-position),
  lossSlope: 1,
  sizeSlope: SIZE_SLOPE,
  riseByDensity: 1.4,
  hasJumps: false,
};

function fallenAt(step: number): number {
  const below = Math.min(Math.floor(step), HIGHEST - 1);
  return FALLEN[below] + (step - below) * (FALLEN[below + 1] - FALLEN[below]);
}

function stepAt(fallen: number): number {
  const above = FALLEN.findIndex((value) => value >= fallen);
  if (above < 0) return HIGHEST;
  if (above === 0) return 0;
  const [from, to] = [FALLEN[above - 1], FALLEN[above]];
  return above - (to - fallen) / (to - from);
}

/**
 * Photos that need more bits lose less with each step: the slope is 1 if quality 68 takes 0.66 bits per pixel, with a standard
 * deviation of 0.08 (0.19 without this; 22 mosaics).
 */
const MEAN_BITS = 0.66;
const SLOPE_PER_LOG_BITS = 0.35;
const MEAN_STEP = QUALITIES.indexOf(68);

function estimateLossSlope(bitsPerPixel: number, step: number, { isPhoto }: ImageFacts): number | undefined {
  if (!isPhoto) return undefined;
  const bitsAtMeanStep = bitsPerPixel * Math.exp(SIZE_SLOPE * (FALLEN[step] - FALLEN[MEAN_STEP]));
  return Math.max(0.6, Math.min(1.6, 1 + SLOPE_PER_LOG_BITS * Math.log(bitsAtMeanStep / MEAN_BITS)));
}

export function avifFormat(codec: ResultCodec): FormatCoding {
  return {
    maxSidePx: MAX_SIDE_PX,
    // At an SSIMULACRA2 of 80, WebP took 1.12 to 1.6 times the bytes for each of 123 calibration images.
    smallerForPhotosThan: ['webp'],
    hasAlpha: true,
    holds: BLOCK_NAMES,
    lossy: [
      {
        // Smaller than 4:2:0 for 9 images in 10, and never more than 1% larger for photos.
        chroma: '4:4:4',
        curve: ({ density }) => curveAt(density, CURVE),
        range: (density) => ({ lowest: density > 1 ? 0 : LOWEST_OF_SINGLE_PIXELS, highest: HIGHEST }),
        stepQuality: (step) => QUALITIES[step],
        lossSlope: estimateLossSlope,
        tiles: TILES,
        trials: planTrials,
        patience: choosePatience,
        encodeMs,
        encode: (pixels, { quality, purpose, image, metadata }) => {
          const effort = purpose === 'trial' ? chooseTrialEffort(image) : chooseDeliveryEffort(image);
          return codec.encode(pixels, { quality, effort, metadata });
        },
      },
    ],
    decode: (avif) => codec.decode(avif),
  };
}

function chooseEffort({ effort, pixelCount, isPhoto }: ImageFacts): number {
  const [small, medium, large] = (isPhoto ? PHOTO_EFFORTS : GRAPHIC_EFFORTS)[effort];
  if (pixelCount < SMALL_AVIF_PIXELS) return small;
  return pixelCount < LARGE_PIXELS ? medium : large;
}

function chooseDeliveryEffort(image: ImageFacts): number {
  const { isPhoto, density, pixelCount, trialBits = Infinity } = image;
  const isCheap = isPhoto && density > 1 && pixelCount < LARGE_PIXELS && trialBits < CHEAP_BITS;
  return isCheap && image.effort === 'balanced' ? CHEAP_EFFORT : chooseEffort(image);
}

function encodeMs(image: ImageFacts): number {
  const { pixelCount, trialBits = USUAL_BITS } = image;
  return (pixelCount / 1e6) * ENCODE_MS[chooseDeliveryEffort(image)] * (LEAST_BITS + trialBits);
}

/** A mosaic does not represent a graphic; for a small photo it saves little time, because the file takes much longer. */
function trialsOn(image: ImageFacts): TrialPlan['of'] {
  const { pixelCount, isPhoto } = image;
  const isCheaper = chooseEffort(image) > WHOLE_EFFORT;
  if (isPhoto) return isCheaper && pixelCount < SMALL_AVIF_PIXELS ? 'whole' : 'mosaic';
  if (pixelCount > MAX_WHOLE_PIXELS) return 'mosaic';
  return isCheaper ? 'whole' : 'file';
}

function chooseTrialEffort(image: ImageFacts): number {
  const effort = chooseEffort(image);
  const most = { whole: WHOLE_EFFORT, mosaic: MOSAIC_EFFORT, file: effort }[trialsOn(image)];
  return Math.min(most, effort);
}

function planTrials(image: ImageFacts): TrialPlan {
  const [effort, of] = [chooseEffort(image), trialsOn(image)];
  const medium = image.density > 1 ? CAUTION.mediumDense : CAUTION.medium;
  const caution = image.pixelCount < LARGE_PIXELS ? medium : CAUTION.large;
  const wholeCaution = image.isPhoto ? CAUTION.wholePhoto : CAUTION.wholeGraphic;
  const atDensity1 = QUALITIES.indexOf(image.isPhoto ? (of === 'whole' ? 64 : 68) : 52);
  const firstStep = shiftForDensity(CURVE, atDensity1, image.density);
  switch (of) {
    case 'mosaic':
      return { of, firstStep, lossRatio: caution * LOSS_OF_MOSAIC[effort], sizeRatio: 0.96 };
    case 'whole':
      return { of, firstStep, lossRatio: wholeCaution * LOSS_OF_WHOLE[effort], sizeRatio: 0.98 };
    case 'file':
      return { of, firstStep, lossRatio: 1, sizeRatio: 1 };
  }
}

/** One encode takes nearly all of the time, so a second one has to be worth it. A quality step is 4% of the loss. */
function choosePatience({ effort, pixelCount, isPhoto, density }: ImageFacts): Patience {
  if (effort === 'max') return { toleratedRoom: 0.04, encodesForBytes: 3 };
  if (effort === 'fast' || pixelCount > HUGE_PIXELS) return { toleratedRoom: 1, encodesForBytes: 1 };
  if (pixelCount > LARGE_PIXELS) return { toleratedRoom: 0.2, encodesForBytes: 2 };
  if (pixelCount >= SMALL_AVIF_PIXELS)
    return { toleratedRoom: density === 1 ? 0.1 : 0.12, encodesForBytes: 2 };
  return isPhoto ? { toleratedRoom: 0.1, encodesForBytes: 2 } : { toleratedRoom: 0.08, encodesForBytes: 3 };
}
