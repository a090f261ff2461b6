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
/** Smaller AVIFs get more encoder effort: 0.7 to 2 s at the effort 4. */
const SMALL_AVIF_PIXELS = 600_000;
const LARGE_PIXELS = 3_000_000;
const HUGE_PIXELS = 8_000_000;
/** Graphics up to this size are tried as a whole; a 4K screen has 8.3 million pixels. */
const MAX_WHOLE_PIXELS = 8_500_000;

/** Milliseconds of processor time a megapixel and bit per pixel at an effort, and the bits that every pixel costs besides (2 photos). */
// prettier-ignore
const ENCODE_MS: Readonly<Record<number, number>> = { 0: 150, 1: 300, 2: 400, 3: 800, 4: 3_000, 6: 8_500 };
const LEAST_BITS = 0.2;
/** Before a trial shows the bits. */
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
/** A mosaic is tried with this effort, and a whole image with the other, or with that of the file if it is less: less predicts no more. */
const MOSAIC_EFFORT = 2;
const WHOLE_EFFORT = 3;
/** Loss at an effort ÷ loss in such a trial of a mosaic, or of the whole image, at the same quality. */
const LOSS_OF_MOSAIC: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 4: 0.93 };
const LOSS_OF_WHOLE: Readonly<Record<number, number>> = { 4: 0.944, 6: 0.91 };
/** The more bits a trial of a photo takes, the more effort gains: with this exponent, the ratio's standard deviation is 2%, else 4% (13 photos). */
const MEAN_TRIAL_BITS = 0.75;
const GAIN_BY_BITS = -0.09;
/**
 * A miss costs another encode. Photos lose 0.994 times as much as their mosaic at 1600 px (standard deviation 2.4%),
 * 1.014 times at 6 to 11 megapixels (3.5%; 13 photos), 1.03 times at densities above 1 (4%; 8 photos).
 */
const CAUTION = { whole: 1.015, medium: 1, mediumDense: 1.045, large: 1.02 };
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
 * −log of the loss at these qualities, up to a constant: the means of six photos. The loss falls by 6% per step, and by 10 to 14%
 * at 45, 67 and 87, where libaom seems to change its quantization matrices.
 */
// prettier-ignore
const FALLEN = [
  -0.64, -0.56, -0.48, -0.40, -0.30, -0.23, -0.15, -0.07,
  0, 0.09, 0.16, 0.26, 0.33, 0.42, 0.49, 0.57, 0.66, 0.75, 0.82, 0.96, 1.04, 1.12, 1.21, 1.28, 1.37, 1.45, 1.52, 1.60, 1.68, 1.75, 1.80, 1.86, 1.92,
  1.99, 2.11, 2.18, 2.23, 2.30, 2.34, 2.40, 2.47, 2.53, 2.60, 2.70, 2.77, 2.84, 2.94, 3.03, 3.14, 3.30, 3.43, 3.59, 3.76, 3.95, 4.13, 4.32, 4.53,
];
const HIGHEST = QUALITIES.length - 1;
/** Lower qualities show at a density of 1. */
const LOWEST_OF_SINGLE_PIXELS = QUALITIES.indexOf(26);
const SIZE_SLOPE = -0.64;
const CURVE: CurveModel = {
  position: (step) => -fallenAt(step),
  qualityAt: (position) => stepAt(-position),
  lossSlope: 1,
  sizeSlope: SIZE_SLOPE,
  riseByDensity: 1.65,
  hasJumps: false,
};

function fallenAt(step: number) {
  const below = Math.min(Math.floor(step), HIGHEST - 1);
  return FALLEN[below] + (step - below) * (FALLEN[below + 1] - FALLEN[below]);
}

function stepAt(fallen: number) {
  const above = FALLEN.findIndex((value) => value >= fallen);
  if (above < 0) return HIGHEST;
  if (above === 0) return 0;
  const [from, to] = [FALLEN[above - 1], FALLEN[above]];
  return above - (to - fallen) / (to - from);
}

/** Photos that need more bits lose less with each step: the slope is 1 if quality 68 takes 1 bit per pixel, with a standard deviation of 0.06. */
const MEAN_BITS = 1;
const SLOPE_PER_LOG_BITS = 0.12;
const MEAN_STEP = QUALITIES.indexOf(68);

function estimateLossSlope(bitsPerPixel: number, step: number, { isPhoto }: ImageFacts) {
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
          // Graphics do not get smaller, and transparent images would take too much memory.
          const bitDepth = image.isPhoto && pixels.channels % 2 === 1 ? 10 : 8;
          return codec.encode(pixels, { quality, effort, bitDepth, metadata });
        },
      },
    ],
    decode: (avif) => codec.decode(avif),
  };
}

function chooseEffort({ effort, pixelCount, isPhoto }: ImageFacts) {
  const [small, medium, large] = (isPhoto ? PHOTO_EFFORTS : GRAPHIC_EFFORTS)[effort];
  if (pixelCount < SMALL_AVIF_PIXELS) return small;
  return pixelCount < LARGE_PIXELS ? medium : large;
}

function chooseDeliveryEffort(image: ImageFacts) {
  const { isPhoto, density, pixelCount, trialBits = Infinity } = image;
  const isCheap = isPhoto && density > 1 && pixelCount < LARGE_PIXELS && trialBits < CHEAP_BITS;
  const effort = chooseEffort(image);
  return isCheap && image.effort === 'balanced' ? Math.max(CHEAP_EFFORT, effort) : effort;
}

function encodeMs(image: ImageFacts) {
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

function chooseTrialEffort(image: ImageFacts) {
  const effort = chooseEffort(image);
  const most = { whole: WHOLE_EFFORT, mosaic: MOSAIC_EFFORT, file: effort }[trialsOn(image)];
  return Math.min(most, effort);
}

function planTrials(image: ImageFacts): TrialPlan {
  const { isPhoto, trialBits = MEAN_TRIAL_BITS } = image;
  const [effort, of] = [chooseEffort(image), trialsOn(image)];
  const medium = image.density > 1 ? CAUTION.mediumDense : CAUTION.medium;
  const caution = image.pixelCount < LARGE_PIXELS ? medium : CAUTION.large;
  const gain = isPhoto && effort > WHOLE_EFFORT ? (trialBits / MEAN_TRIAL_BITS) ** GAIN_BY_BITS : 1;
  const atDensity1 = QUALITIES.indexOf(isPhoto ? (of === 'whole' ? 64 : 68) : 52);
  const firstStep = shiftForDensity(CURVE, atDensity1, image.density);
  if (of === 'file') return { of, firstStep, lossRatio: 1, sizeRatio: 1 };
  const ratio = of === 'mosaic' ? caution * LOSS_OF_MOSAIC[effort] : CAUTION.whole * LOSS_OF_WHOLE[effort];
  return { of, firstStep, lossRatio: gain * ratio, sizeRatio: of === 'mosaic' ? 0.96 : 0.98 };
}

/** Without margin: many photos end above the fall at 67, and then 66 fails. */
const WORTH_A_TRY = 1.01;
/** One encode takes nearly all of the time, so a second one has to be worth it. A quality step is 6% of the loss. */
function choosePatience({ effort, pixelCount, isPhoto, density }: ImageFacts): Patience {
  if (effort === 'max') return { toleratedRoom: 0.04, encodesForBytes: 3 };
  if (effort === 'fast' || pixelCount > HUGE_PIXELS) return { toleratedRoom: 1, encodesForBytes: 1 };
  if (pixelCount > LARGE_PIXELS) return { toleratedRoom: 0.2, encodesForBytes: 2 };
  const isSmall = pixelCount < SMALL_AVIF_PIXELS;
  if (isSmall && !isPhoto) return { toleratedRoom: 0.08, encodesForBytes: 3 };
  const toleratedRoom = isSmall || density > 1 ? 0.12 : 0.1;
  return { toleratedRoom, encodesForBytes: 2, worthATry: WORTH_A_TRY };
}
