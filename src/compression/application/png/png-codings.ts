/** The ways to code pixels as a PNG, each with a cheap estimate of its bytes: residuals, shades, and packed indices. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../../domain/compression-policy';
import {
  BOUNDS_LADDER,
  EXACT_BOUNDS,
  encodeNearLosslessRows,
} from '../../domain/near-lossless/near-lossless-rows';
import { posterise } from '../../domain/near-lossless/posterise';
import type { FixedPixels } from '../../domain/kept-colours';
import type { Pixels } from '../../domain/pixels';
import { pngOfPixels, pngOfRows, unfilteredRows } from '../../formats/png/png-chunks';
import type { PngCodec } from '../codecs.port';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { leastDepth, packedRows, pngOfIndexed, type BitDepth } from '../../formats/png/png-indexed';

export interface NearLosslessCoding {
  /** From the smallest errors to the largest. */
  readonly steps: number;
  readonly firstStep: number;
  run(image: FixedPixels, step: number): NearLosslessAttempt;
}

export interface NearLosslessAttempt {
  readonly delivered: Pixels;
  /** The largest possible difference of any channel. */
  readonly errorBound: number;
  bytesPerSample(): number;
  /** @param isNoise as of PngCodec.deflate */
  pack(codec: PngCodec, effort: Effort, isNoise: boolean): Promise<Uint8Array>;
}

/** Quantizes residuals; for photos and soft shadows. Half of the measured images end at the usual step or the next one. */
const BY_RESIDUALS: NearLosslessCoding = {
  steps: BOUNDS_LADDER.length,
  firstStep: 6,
  run(image, step) {
    const bounds = BOUNDS_LADDER[step];
    const { rows, delivered } = encodeNearLosslessRows(image, bounds);
    return {
      delivered,
      errorBound: Math.max(...bounds),
      bytesPerSample: () => bytesPerSample([rows]),
      pack: async (codec, effort, isNoise) => pngOfRows(image, await codec.deflate(rows, effort, isNoise)),
    };
  },
};

/** Posterises; for text and drawings. */
const IN_SHADES: NearLosslessCoding = {
  steps: 2,
  firstStep: 1,
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

export function losslessBytesPerSample(image: Pixels): number {
  return bytesPerSample([unfilteredRows(image), filteredRows(image)]);
}

export function benefitsFromFilters(image: Pixels): boolean {
  return bytesPerSample([filteredRows(image)]) < bytesPerSample([unfilteredRows(image)]);
}

export function filteredRows(image: Pixels): Uint8Array {
  return encodeNearLosslessRows(image, EXACT_BOUNDS).rows;
}

function bytesPerSample(ways: readonly Uint8Array[]) {
  return Math.min(...ways.map((rows) => estimatedBytes(rows) / rows.length));
}

/** Returns the number of bytes at a fast zlib level, which ranks rows like libdeflate's highest level. */
export function estimatedBytes(rows: Uint8Array): number {
  return deflateSync(rows, { level: 4 }).length;
}

export interface Packing {
  readonly depth: BitDepth;
  readonly rows: Uint8Array;
  readonly estimate: number;
}

/** Fewer bits per index suit noise; whole bytes suit repetitions. */
export function smallerPacking(image: IndexedImage): Packing {
  const least = leastDepth(image);
  const whole = packingAt(image, 8);
  if (least === 8) return whole;
  const narrow = packingAt(image, least);
  return narrow.estimate < whole.estimate ? narrow : whole;
}

function packingAt(image: IndexedImage, depth: BitDepth): Packing {
  const rows = packedRows(image, depth);
  return { depth, rows, estimate: estimatedBytes(rows) };
}

export async function packIndexed(
  image: IndexedImage,
  codec: PngCodec,
  effort: Effort,
  { depth, rows } = smallerPacking(image),
): Promise<Uint8Array> {
  if (effort !== 'max') return pngOfIndexed(image, depth, await codec.deflate(rows, effort));
  return codec.optimise(pngOfIndexed(image, depth, await codec.deflate(rows, 'balanced')), effort);
}
