/** The two near-lossless codings of a PNG, and an estimate of its lossless size. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../../domain/compression-policy';
import { BOUNDS_LADDER, EXACT_BOUNDS } from '../../domain/near-lossless/error-bounds';
import { encodeNearLosslessRows } from '../../domain/near-lossless/near-lossless-rows';
import { posterise } from '../../domain/near-lossless/posterise';
import type { FixedPixels } from '../../domain/kept-colours';
import type { Pixels } from '../../domain/pixels';
import { pngOfPixels, pngOfRows, unfilteredRows } from '../../formats/png/png-rows';
import type { PngCodec } from '../codecs.port';

export interface NearLosslessCoding {
  /** Number of steps, from the smallest errors to the largest. */
  readonly steps: number;
  /** The step to try first. */
  readonly usualStep: number;
  run(image: FixedPixels, step: number): NearLosslessAttempt;
}

export interface NearLosslessAttempt {
  readonly delivered: Pixels;
  /** The largest possible difference of any channel. */
  readonly errorBound: number;
  /** Estimated bytes per sample; comparable among the codings of one image. */
  bytesPerSample(): number;
  pack(codec: PngCodec, effort: Effort): Promise<Uint8Array>;
}

/** Quantizes residuals; for photos and soft shadows. Half of the measured images end at the usual step or the next one. */
const BY_RESIDUALS: NearLosslessCoding = {
  steps: BOUNDS_LADDER.length,
  usualStep: 6,
  run(image, step) {
    const bounds = BOUNDS_LADDER[step];
    const { rows, delivered } = encodeNearLosslessRows(image, bounds);
    return {
      delivered,
      errorBound: Math.max(...bounds),
      bytesPerSample: () => bytesPerSample([rows]),
      pack: async (codec, effort) => pngOfRows(image, await codec.deflate(rows, effort)),
    };
  },
};

/** Posterises; for text and drawings. */
const IN_SHADES: NearLosslessCoding = {
  steps: 2,
  usualStep: 1,
  run(image, step) {
    const errorBound = step === 0 ? 1 : 2;
    const delivered = posterise(image, errorBound);
    return {
      delivered,
      errorBound,
      bytesPerSample: () => losslessBytesPerSample(delivered),
      pack: (codec, effort) => codec.optimise(pngOfPixels(delivered), effort),
    };
  },
};

export const CODINGS: readonly NearLosslessCoding[] = [BY_RESIDUALS, IN_SHADES];

/** Returns the estimated bytes per sample of the unchanged image, with or without row filters, whichever is smaller. */
export function losslessBytesPerSample(image: Pixels): number {
  return bytesPerSample([unfilteredRows(image), filteredRows(image)]);
}

/** Returns whether row filters make the unchanged image smaller, as they do for photos. */
export function benefitsFromFilters(image: Pixels): boolean {
  return bytesPerSample([filteredRows(image)]) < bytesPerSample([unfilteredRows(image)]);
}

/** Returns the rows of the unchanged image, each with its best filter. */
export function filteredRows(image: Pixels): Uint8Array {
  return encodeNearLosslessRows(image, EXACT_BOUNDS).rows;
}

/** A fast zlib level that ranks rows like libdeflate's highest level. */
export const ESTIMATING_LEVEL = 4;

function bytesPerSample(ways: readonly Uint8Array[]): number {
  return Math.min(...ways.map((rows) => deflateSync(rows, { level: ESTIMATING_LEVEL }).length / rows.length));
}
