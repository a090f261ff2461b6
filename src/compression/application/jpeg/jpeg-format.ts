/**
 * JPG as a format of results: its codings, and how quality, loss and size hang together for jpegli and MozJPEG. The numbers are fitted on the
 * calibration images and on uploads saved at known qualities (docs/measurements.md).
 */
import type { ChromaSubsampling } from '../../domain/pixels';
import { LOSS_AT_SSIMULACRA2_80 } from '../../domain/score/ssim-score';
import type { Patience } from '../../domain/search/quality-search';
import { isTriedWhole } from '../../domain/search/mosaic';
import {
  curveAt,
  shiftForDensity,
  type CurveModel,
  type QualityRange,
  type WholePoint,
} from '../../domain/search/trial-curve';
import { BLOCK_NAMES } from '../../formats/embedded-blocks';
import { jpegWithBlocks, MAX_BLOCK_BYTES } from '../../formats/jpeg/metadata/jpeg-blocks';
import { resultMarker } from '../../formats/jpeg/result-marker';
import { encodedHeader, type JpegCodec } from '../codecs.port';
import type { EncodeOptions, ImageFacts, LossyCoding, FormatCoding } from '../result-format.port';

/** Largest width and height (ITU-T T.81 B.2.2). */
const MAX_SIDE_PX = 65_535;
/** Bytes of a progressive image ÷ baseline bytes of its mosaic, for the same area. */
export const PROGRESSIVE_SHARE = 0.94;

/** Loss ÷ loss of the mosaic at densities above 1, where tiles are few: mean of 8 photos (standard deviation 7%). */
const LOSS_OF_FEW_TILES = 1.07;

export function jpegFormat(codec: JpegCodec): FormatCoding {
  return {
    maxSidePx: MAX_SIDE_PX,
    hasAlpha: false,
    holds: BLOCK_NAMES,
    maxBlockBytes: MAX_BLOCK_BYTES,
    lossy: (['4:4:4', '4:2:0'] as const).map((chroma) => jpegCoding(codec, chroma)),
    decode: (jpeg, original) => codec.decode(jpeg, { header: encodedHeader(original), orientation: 1 }),
  };
}

/** @param write puts metadata and marker into a file that may be delivered */
export function jpegCoding(
  codec: JpegCodec,
  chroma: ChromaSubsampling,
  write: (jpeg: Uint8Array, options: EncodeOptions) => Uint8Array = withMarker,
): LossyCoding {
  return {
    chroma,
    curve: ({ density, pixelCount }) => jpegCurve(chroma, density, pixelCount),
    range: searchRange,
    tiles: {},
    trials: ({ density, pixelCount }) => ({
      of: 'mosaic',
      firstStep: shiftForDensity(CURVES[chroma], TYPICAL.quality, density),
      lossRatio: density === 1 || isTriedWhole(pixelCount, density) ? 1 : LOSS_OF_FEW_TILES,
      sizeRatio: PROGRESSIVE_SHARE,
    }),
    patience: () => ({ toleratedRoom: 0.04, encodesForBytes: 3 }),
    encode: async (pixels, options) => {
      const { quality, purpose, image } = options;
      const jpeg = await codec.encode(pixels, { quality, chroma, purpose, effort: image.effort });
      return purpose === 'trial' ? jpeg : write(jpeg, options);
    },
  };
}

function withMarker(jpeg: Uint8Array, { metadata, image }: EncodeOptions) {
  return jpegWithBlocks(jpeg, metadata, [resultMarker(jpeg, image)]);
}

/**
 * Up to this size a trial of tiles takes an eighth of a full encode, one of the whole image a third; at densities above 1 tiles are
 * larger, and it takes half of one. Then a quality near a trial is not confirmed, 8% of the loss may stay unused, and the loss of the
 * upload's coding is only measured if it may limit another: 90 uploads below 0.2 megapixels take 0.89 of the time in 1.000 times the bytes.
 */
const MOST_PIXELS_OF_DEAR_TRIALS = 300_000;

export function hasDearTrials(pixelCount: number, density: number): boolean {
  return density > 1 || pixelCount <= MOST_PIXELS_OF_DEAR_TRIALS;
}

const SMALL_PIXELS = 3_000_000;
/**
 * A first encode that fails costs as much as a second one for bytes, and half of those gain nothing. Fitted on half of 140 uploads:
 * 13% fewer encodes there, 2% on the other half, in the same bytes.
 */
const BOLD = { cautiousErrors: 0, worthATry: 1.01 };

export function uploadPatience({
  effort,
  pixelCount,
  density,
}: Pick<ImageFacts, 'effort' | 'pixelCount' | 'density'>): Patience {
  switch (effort) {
    case 'fast':
      return { toleratedRoom: 1, encodesForBytes: 1 };
    case 'balanced':
      return pixelCount < SMALL_PIXELS
        ? { toleratedRoom: hasDearTrials(pixelCount, density) ? 0.08 : 0.04, encodesForBytes: 3, ...BOLD }
        : { toleratedRoom: 0.15, encodesForBytes: 2 };
    case 'max':
      return { toleratedRoom: 0, encodesForBytes: 5 };
  }
}

/** Below 20 blocking is visible at any score, except where pixels are too small to be seen. */
export function searchRange(density: number): QualityRange {
  return { lowest: density > 1 ? 8 : 20, highest: 97 };
}

/**
 * jpegli and MozJPEG both scale the step by 101 − quality. The slopes are means of 125 images (deviation 0.12 and
 * 0.16).
 */
const CURVES: Readonly<Record<ChromaSubsampling, CurveModel>> = {
  '4:2:0': straightCurve(0.85),
  '4:4:4': straightCurve(0.92),
};

function straightCurve(lossSlope: number): CurveModel {
  return {
    position: (quality) => Math.log(101 - quality),
    qualityAt: (position) => 101 - Math.exp(position),
    lossSlope,
    sizeSlope: -0.58,
    riseByDensity: 1.25,
    hasJumps: true,
  };
}

/** Below this quality jpegli's quantization step grows faster. */
const BEND = 30;

/** jpegli's distance at a quality below the bend, in units of its step above: lib/jpegli/quant.cc of libjxl. */
function stepBelowBend(quality: number) {
  return (SQUARE * quality ** 2 - LINE * quality + 25) / STEP - 1 / 9;
}

function qualityBelowBend(step: number) {
  const distance = (step + 1 / 9) * STEP;
  const root = Math.sqrt(Math.max(0, LINE ** 2 - 4 * SQUARE * (25 - distance)));
  return (LINE - root) / (2 * SQUARE);
}

const [SQUARE, LINE, STEP] = [53 / 3000, 23 / 20, 0.09];

function reachAt(quality: number) {
  return Math.max(1, (101 - quality) / (101 - TYPICAL.quality));
}

export function jpegCurve(chroma: ChromaSubsampling, density: number, pixelCount = Infinity): CurveModel {
  const confirmedWithin = hasDearTrials(pixelCount, density) ? 1 : 0;
  const model = { ...CURVES[chroma], confirmedWithin };
  if (density === 1) return model;
  return {
    ...curveAt(density, model),
    // Larger images would get 1% more bytes for it, and no faster.
    ...(pixelCount <= MOST_PIXELS_OF_DEAR_TRIALS && { reach: reachAt }),
    position: (quality) => (quality >= BEND ? model.position(quality) : Math.log(stepBelowBend(quality))),
    qualityAt: (position) => {
      const quality = model.qualityAt(position);
      return quality >= BEND ? quality : qualityBelowBend(Math.exp(position));
    },
  };
}

/** The most frequent result at the default target, used if nothing is known about the image. */
const TYPICAL = { quality: 80, loss: LOSS_AT_SSIMULACRA2_80 };
/**
 * The bits per pixel of uploads that end there, and the fall of the position with their logarithm: fitted on 252 uploads of 63 images,
 * saved at 82 to 95. The deviation is 0.17 (on 62 other images 0.17); from the quality of the upload it was 0.21.
 */
const TYPICAL_BITS: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 2, '4:4:4': 3.5 };
const FALL_BY_BITS = 0.31;
/** Aiming for a tenth more than the allowed loss finds the lower end of a jump. */
const START_BELOW = 0.9;

export interface UploadCoding {
  readonly chroma: ChromaSubsampling;
  /** Quality on the scale of this encoder. */
  readonly quality: number;
  readonly bitsPerPixel: number;
  /** 1 − score after re-encoding it at that quality, off its block grid; absent or 0 if not measured. */
  readonly reencodingLoss?: number;
}

/** Usually right within 3 steps if the re-encoding loss is known, else within 5. At higher densities, fine detail matters less. */
export function likelyQuality(loss: number, upload?: UploadCoding, density = 1): number {
  if (upload?.reencodingLoss) {
    const { chroma, quality, reencodingLoss } = upload;
    return qualityAlong(chroma, { quality, loss: START_BELOW * reencodingLoss }, loss);
  }
  const detail = upload ? Math.log(upload.bitsPerPixel / TYPICAL_BITS[upload.chroma]) : 0;
  const { position, qualityAt } = CURVES['4:2:0'];
  const quality = qualityAt(position(TYPICAL.quality) - (FALL_BY_BITS * detail) / density ** 2);
  const typical = { quality: shiftForDensity(CURVES['4:2:0'], quality, density), loss: TYPICAL.loss };
  return qualityAlong('4:2:0', typical, loss);
}

/** Returns the quality at which a line of the typical slope through a point has the given loss. */
function qualityAlong(chroma: ChromaSubsampling, point: WholePoint, loss: number) {
  const { position, qualityAt, lossSlope } = CURVES[chroma];
  return qualityAt(position(point.quality) + Math.log(loss / point.loss) / lossSlope);
}
