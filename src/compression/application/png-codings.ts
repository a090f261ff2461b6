/** The two ways to make a PNG smaller by changing its channels a little, and what lossless rows of it would take. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../domain/compression-policy';
import { BOUNDS_LADDER, EXACT_BOUNDS } from '../domain/near-lossless/error-bounds';
import { encodeNearLosslessRows } from '../domain/near-lossless/near-lossless-rows';
import { posterise } from '../domain/near-lossless/posterise';
import type { Pixels } from '../domain/pixels';
import { pngOfPixels, pngOfRows, unfilteredRows } from '../formats/png/png-rows';
import type { PngCodec } from './codecs.port';

export interface NearLosslessCoding {
  /** Steps, from the most faithful to the coarsest. */
  readonly steps: number;
  /** The step to begin with. */
  readonly usualStep: number;
  run(image: Pixels, step: number): NearLosslessAttempt;
}

export interface NearLosslessAttempt {
  readonly delivered: Pixels;
  /** No channel of any pixel differs by more. */
  readonly errorBound: number;
  /** Bytes a sample, about; comparable among the codings of one image. */
  density(): number;
  pack(codec: PngCodec, effort: Effort): Promise<Uint8Array>;
}

/** For photos and soft shadows. Of the images measured, half end at the usual step or one further. */
const BY_RESIDUALS: NearLosslessCoding = {
  steps: BOUNDS_LADDER.length,
  usualStep: 6,
  run(image, step) {
    const bounds = BOUNDS_LADDER[step];
    const { rows, delivered } = encodeNearLosslessRows(image, bounds);
    return {
      delivered,
      errorBound: Math.max(...bounds),
      density: () => densityOf([rows]),
      pack: async (codec, effort) => pngOfRows(image, await codec.deflate(rows, effort)),
    };
  },
};

/** For text and drawings. */
const IN_SHADES: NearLosslessCoding = {
  steps: 2,
  usualStep: 1,
  run(image, step) {
    const errorBound = step === 0 ? 1 : 2;
    const delivered = posterise(image, errorBound);
    return {
      delivered,
      errorBound,
      density: () => losslessDensity(delivered),
      pack: (codec, effort) => codec.optimise(pngOfPixels(delivered), effort),
    };
  },
};

export const CODINGS: readonly NearLosslessCoding[] = [BY_RESIDUALS, IN_SHADES];

/** Of the image unchanged: in rows without a filter, where much repeats, or in filtered ones. */
export function losslessDensity(image: Pixels): number {
  return densityOf([unfilteredRows(image), filteredRows(image)]);
}

/** Whether row filters make less of the image unchanged: of photos they do. */
export function benefitsFromFilters(image: Pixels): boolean {
  return densityOf([filteredRows(image)]) < densityOf([unfilteredRows(image)]);
}

/** The image unchanged, each row with the filter that suits it. */
export function filteredRows(image: Pixels): Uint8Array {
  return encodeNearLosslessRows(image, EXACT_BOUNDS).rows;
}

/** Fast, and ranks rows as libdeflate at its highest level does. */
export const ESTIMATING_LEVEL = 4;

function densityOf(ways: readonly Uint8Array[]): number {
  return Math.min(...ways.map((rows) => deflateSync(rows, { level: ESTIMATING_LEVEL }).length / rows.length));
}
