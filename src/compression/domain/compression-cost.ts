/**
 * Predicts what an image costs, from its header and policy, before anything is decoded. The unit is a millisecond of CPU time
 * on one idle core of the machine of docs/measurements.md; other machines are slower or faster by about the same factor for
 * all images of a target format, which the workers learn (service-times.ts).
 *
 * Measured as the CPU time of compressImage() with the native engine: a photo, text and a flat image, 0.06 to 267 megapixels,
 * three efforts, with and without a budget. Content counts for a factor of three either way, which no header tells.
 */
import type { BuiltInFormat, SourceFormat, TargetFormat } from '../../contract/formats';
import type { CompressionPolicy, Effort } from './compression-policy';
import { largestFit, type Dimensions } from './dimensions';

/** The formats of results. */
export type TargetName = TargetFormat;

/** What the header of an image tells about the cost of decoding it. */
export interface CostlySource {
  readonly format: SourceFormat;
  readonly dimensions: Dimensions;
  /** Bytes of a decoded pixel. */
  readonly bytesPerPixel: number;
  /** Bytes that a decoder must hold: those of progressive and interlaced images; otherwise 0. */
  readonly heldBytes: number;
}

interface TargetCost {
  /** Per image. */
  readonly base: number;
  /** Per megapixel of the result: search, encode and verify. */
  readonly perMegapixel: Readonly<Record<Effort, number>>;
  /** A budget adds this per image, and multiplies the rest: trials of the quality, then of smaller dimensions. */
  readonly budget: { readonly base: number; readonly factor: number };
}

const MEGAPIXEL = 1e6;

/** Per megabyte of decoded pixels. */
const DECODING: Readonly<Record<SourceFormat, { readonly usual: number; readonly held: number }>> = {
  // A baseline JPEG is scaled while it is decoded; a progressive one goes through about ten scans.
  jpeg: { usual: 1, held: 3 },
  png: { usual: 4, held: 10 },
};

const TARGETS = {
  jpeg: {
    base: 15,
    perMegapixel: { fast: 80, balanced: 80, max: 300 },
    budget: { base: 150, factor: 4 },
  },
  png: {
    base: 20,
    perMegapixel: { fast: 400, balanced: 800, max: 900 },
    budget: { base: 150, factor: 2 },
  },
  webp: {
    base: 25,
    perMegapixel: { fast: 350, balanced: 450, max: 700 },
    budget: { base: 200, factor: 4 },
  },
  avif: {
    base: 60,
    perMegapixel: { fast: 250, balanced: 600, max: 4500 },
    budget: { base: 400, factor: 4 },
  },
} as const satisfies Record<BuiltInFormat, TargetCost>;
/** For formats that a module adds. */
const UNKNOWN_TARGET = TARGETS.webp;

/** Returns the format whose cost an image is predicted to have: the dearest of those that it may get. */
export function dearestTarget(
  source: SourceFormat,
  formats: CompressionPolicy['formats'] = ['same'],
): TargetName {
  const names = formats.map((format) => (format === 'same' ? source : format));
  const priceOf = (name: TargetName) => costOf(name).perMegapixel.balanced;
  return names.reduce((dearest, name) => (priceOf(name) > priceOf(dearest) ? name : dearest));
}

function costOf(target: TargetName): TargetCost {
  return Object.hasOwn(TARGETS, target) ? TARGETS[target as BuiltInFormat] : UNKNOWN_TARGET;
}

/** Returns the predicted cost of an image; see above for the unit. */
export function compressionCost(
  source: CostlySource,
  policy: Pick<CompressionPolicy, 'effort' | 'budget' | 'maxDimensionPx' | 'box'>,
  target: TargetName,
): number {
  const { base, perMegapixel, budget } = costOf(target);
  const { width, height } = largestFit(source.dimensions, policy);
  const work = base + (perMegapixel[policy.effort] * width * height) / MEGAPIXEL;
  return decodingCost(source) + (policy.budget ? budget.base + budget.factor * work : work);
}

function decodingCost({ format, dimensions, bytesPerPixel, heldBytes }: CostlySource): number {
  const megabytes = (dimensions.width * dimensions.height * bytesPerPixel) / MEGAPIXEL;
  const { usual, held } = DECODING[format];
  return megabytes * (heldBytes > 0 ? held : usual);
}
