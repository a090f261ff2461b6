/**
 * AVIF. The figures are those of libaom tuned for still images, measured on the calibration images and on photos of 1 to 11
 * megapixels (docs/measurements.md).
 */
import type { Effort } from '../../domain/compression-policy';
import type { CurveModel } from '../../domain/search/trial-curve';
import { AvifCodec } from '../target-codecs.port';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import type { Target } from './target';

const LARGE_PIXELS = 3_000_000;
const HUGE_PIXELS = 8_000_000;

/** The encoder's effort. From 2 to 4, bytes fall by a seventh and time grows eightfold. */
const EFFORTS: Readonly<Record<Effort, { readonly small: number; readonly large: number }>> = {
  fast: { small: 1, large: 0 },
  balanced: { small: 2, large: 1 },
  max: { small: 4, large: 4 },
};
/** Trials are made with this effort at most. */
const TRIAL_EFFORT = 1;
/** Loss at an effort ÷ loss at TRIAL_EFFORT and the same quality. */
const LOSS_AT_EFFORT: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 0.96, 4: 0.84 };
/** A miss costs another encode, so trials are taken for somewhat too hopeful. */
const CAUTION = 1.03;

/** Log loss and log size are linear in the quality: slopes −0.044 and 0.032 a step; the scale keeps the slope near 0.9. */
const STEP = 0.049;
const CURVE: CurveModel = {
  position: (quality) => -STEP * quality,
  qualityAt: (position) => -position / STEP,
  lossSlope: 0.9,
  sizeSlope: -0.65,
  hasJumps: false,
};

export function avifTarget(codec: AvifCodec): Target {
  return {
    maxSidePx: AvifCodec.MAX_SIDE_PX,
    hasAlpha: true,
    holds: BLOCK_NAMES,
    lossy: [
      {
        // Smaller than 4:2:0 for 9 images in 10, and never more than 1 % larger for photos.
        chroma: '4:4:4',
        curve: CURVE,
        range: { lowest: 25, highest: 96 },
        usualQuality: 68,
        seamPx: 4,
        lossFactor: { photo: 1, graphic: 0.75 },
        sizeFactor: 0.96,
        usualRatio: (effort, pixels) => CAUTION * LOSS_AT_EFFORT[effortOf(effort, pixels)],
        patience: patienceOf,
        encode: (pixels, { quality, purpose, effort, imagePixels, metadata }) => {
          const delivery = effortOf(effort, imagePixels);
          return codec.encode(pixels, {
            quality,
            chroma: '4:4:4',
            effort: purpose === 'trial' ? Math.min(delivery, TRIAL_EFFORT) : delivery,
            metadata,
          });
        },
      },
    ],
    decode: (avif) => codec.decode(avif),
  };
}

function effortOf(effort: Effort, imagePixels: number): number {
  const { small, large } = EFFORTS[effort];
  return imagePixels < LARGE_PIXELS ? small : large;
}

/** One encode takes nearly all of the time, so a second one has to be worth it. A quality step is 4 % of the loss. */
function patienceOf(effort: Effort, imagePixels: number) {
  if (effort === 'max') return { toleratedRoom: 0.04, encodesForBytes: 3 };
  if (effort === 'fast' || imagePixels > HUGE_PIXELS) return { toleratedRoom: 1, encodesForBytes: 1 };
  if (imagePixels > LARGE_PIXELS) return { toleratedRoom: 0.2, encodesForBytes: 2 };
  return { toleratedRoom: 0.08, encodesForBytes: 2 };
}
