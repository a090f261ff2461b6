/**
 * Predicts what an image costs, from its header and policy, before anything is decoded. The unit is a millisecond of CPU time
 * on one idle core of the machine of docs/measurements.md; other machines are slower or faster by about the same factor for
 * all images of a target format, which the workers learn (service-times.ts).
 *
 * Measured as the CPU time of compressImage() with the native engine: a photo, text and a flat image, 0.06 to 267 megapixels,
 * three efforts, with and without a budget. Content counts for a factor of three either way, which no header tells. Since
 * SSIMULACRA2 guards PNGs, these were measured again on an idle machine: 16 real PNGs, in proportion to 13 photos as JPGs. A
 * photo costs about 2 s a megapixel, a graphic 0.2 to 2 s.
 */
import type { BuiltInFormat, SourceFormat, TargetFormat } from '../../contract/formats';
import type { CompressionPolicy, Effort } from './compression-policy';
import { largestFit, type Dimensions } from './dimensions';
import { isAffordable, isLongAnimation, type FrameSizes } from './frame-sizes';

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
  /** Of an animation, which is never scaled. */
  readonly frames?: FrameSizes;
}

interface TargetCost {
  /** Per image. */
  readonly base: number;
  /** The encoder pads the image to blocks of this side: an AVIF of one row costs as much as one of eight. */
  readonly blockPx: number;
  /** Per megapixel of the result, padding included: search, encode and verify. */
  readonly perMegapixel: Readonly<Record<Effort, number>>;
  /** Results below a size for which the encoder makes more effort. */
  readonly small?: { readonly belowPixels: number; readonly perMegapixel: Readonly<Record<Effort, number>> };
  /** A budget adds this per image, and multiplies the rest: trials of the quality, then of smaller dimensions. */
  readonly budget: { readonly base: number; readonly factor: number };
}

const MEGAPIXEL = 1e6;
/** Smaller AVIFs get more of the encoder's effort: 0.6 to 1.6 s at the effort 4. */
export const SMALL_AVIF_PIXELS = 600_000;

/** Per megabyte of decoded pixels. */
const DECODING: Readonly<Record<SourceFormat, { readonly usual: number; readonly held: number }>> = {
  // A baseline JPEG is scaled while it is decoded; a progressive one goes through about ten scans.
  jpeg: { usual: 1, held: 3 },
  png: { usual: 4, held: 10 },
};

const TARGETS = {
  jpeg: {
    base: 15,
    blockPx: 8,
    perMegapixel: { fast: 80, balanced: 80, max: 300 },
    budget: { base: 150, factor: 4 },
  },
  png: {
    base: 20,
    blockPx: 1,
    perMegapixel: { fast: 650, balanced: 850, max: 1100 },
    budget: { base: 150, factor: 2 },
  },
  webp: {
    base: 25,
    blockPx: 16,
    perMegapixel: { fast: 350, balanced: 450, max: 700 },
    budget: { base: 200, factor: 4 },
  },
  avif: {
    base: 60,
    blockPx: 8,
    perMegapixel: { fast: 250, balanced: 600, max: 4500 },
    small: { belowPixels: SMALL_AVIF_PIXELS, perMegapixel: { fast: 250, balanced: 4500, max: 9000 } },
    budget: { base: 400, factor: 4 },
  },
} satisfies Record<BuiltInFormat, TargetCost>;
/** Of an animation, per megabyte of the rows of all frames: inflated, filtered, deflated and compared. */
const FRAMES: Readonly<Record<Effort, number>> = { fast: 150, balanced: 400, max: 400 };
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
  const { base, blockPx, perMegapixel, small, budget } = costOf(target);
  if (source.frames) return base + framesCost(source.frames, policy.effort);
  const { width, height } = largestFit(source.dimensions, policy);
  const prices = small && width * height < small.belowPixels ? small.perMegapixel : perMegapixel;
  const padded = (side: number) => Math.ceil(side / blockPx) * blockPx;
  const work = base + (prices[policy.effort] * padded(width) * padded(height)) / MEGAPIXEL;
  return decodingCost(source) + (policy.budget ? budget.base + budget.factor * work : work);
}

function framesCost(frames: FrameSizes, effort: Effort): number {
  if (!isAffordable(frames)) return 0;
  return (FRAMES[isLongAnimation(frames) ? 'fast' : effort] * frames.bytes) / MEGAPIXEL;
}

function decodingCost({ format, dimensions, bytesPerPixel, heldBytes }: CostlySource): number {
  const megabytes = (dimensions.width * dimensions.height * bytesPerPixel) / MEGAPIXEL;
  const { usual, held } = DECODING[format];
  return megabytes * (heldBytes > 0 ? held : usual);
}
