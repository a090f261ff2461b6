/**
 * How an image is compressed, as the operator and the request have set it; independent of its format and of
 * the codecs. The named qualities and the rule that decides whether a smaller file is worth a rewrite are
 * here too.
 */
import type { ResultFormatName, SourceFormat } from '../../contract/formats';
import type { SizeLimits } from './dimensions';

/** A policy is plain data: it crosses the border to the worker with every image. */
export interface CompressionPolicy extends SizeLimits {
  /** Largest accepted width × height. The header is checked, so a larger image is never decoded. */
  readonly maxPixels: number;
  /** The deployment's `maxDimensionPx`, if the client asked for another one; otherwise absent. */
  readonly defaultMaxDimensionPx?: number;
  /** Lowest score of a compressed image (see ssim-score.ts), from 0.9 to 1. At 1, nothing may be lost: see isLossless. */
  readonly targetScore: number;
  /** Pixels of the result per CSS pixel, 1..4. Images are compared as they are seen there: see as-seen.ts. */
  readonly density: number;
  readonly effort: Effort;
  /** Smallest saving that is worth a rewrite, as a share of the original size, 0..1. */
  readonly minSavingsRatio: number;
  /**
   * What a rewritten file keeps. A file that is returned unchanged keeps everything, except private parts
   * that can be cut out.
   */
  readonly keepMetadata: KeptMetadata;
  /** Result formats to choose from; the smallest result wins. `same` is the format of the upload. Only `same` if absent. */
  readonly formats?: readonly (ResultFormatName | 'same')[];
  /** The colour behind transparent pixels, which makes the result opaque; they stay transparent if absent. */
  readonly background?: Rgb;
  /** The largest size that the client asks for; any size if absent. */
  readonly byteLimit?: ByteLimit;
}

const OWN: readonly string[] = ['jpeg', 'png'] satisfies SourceFormat[];

/** Whether a result may have a format. @param upload format of the upload; undefined if it is not known yet */
export function mayHaveFormat(
  format: string,
  upload: ResultFormatName | undefined,
  { formats = ['same'] }: Pick<CompressionPolicy, 'formats'>,
): boolean {
  // An upload that a package reads becomes a JPG or PNG.
  const isRead = formats.includes('same') && !OWN.includes(upload ?? '') && OWN.includes(format);
  return format === upload || isRead || (format !== 'same' && formats.includes(format));
}

/** Red, green and blue, 0..255, as sRGB samples. */
export type Rgb = readonly [number, number, number];

/** The policy for requests without options. Its metadata have a name; only Tinify's clients name parts. */
export interface DeploymentPolicy extends CompressionPolicy {
  readonly keepMetadata: KeptMetadataName;
}

/** The densest displays have about 4 pixels per CSS pixel. */
export const MOST_DENSITY = 4;
/** The smallest and the largest `maxDimensionPx`. */
export const LEAST_DIMENSION_PX = 16;
export const MOST_DIMENSION_PX = 16_384;

/** A limit on the size of a result, in bytes. */
export interface ByteLimit {
  readonly maxBytes: number;
  /** Whether a result may look worse than `low`, and exceed the limit if nothing fits, rather than be refused. */
  readonly allowsAny: boolean;
}

/**
 * `none`: only what is needed to display the image. `copyright`: also author and rights. `all`: everything
 * that is still true of the new file.
 */
export const KEPT_METADATA = ['none', 'copyright', 'all'] as const;
export type KeptMetadataName = (typeof KEPT_METADATA)[number];

/** The parts that can be kept alone: author and rights, time, and place. */
export const METADATA_PARTS = ['copyright', 'creation', 'location'] as const;
export type MetadataPart = (typeof METADATA_PARTS)[number];

export type KeptMetadata = KeptMetadataName | readonly MetadataPart[];

/** Whether a rewritten file keeps a part of its metadata. */
export function keepsPart(keep: KeptMetadata, part: MetadataPart): boolean {
  return typeof keep === 'string' ? keep === 'all' || keep === part : keep.includes(part);
}

/** Median SSIMULACRA2 70, 75, 80 ("no difference side by side") and 86 on 125 images (see docs/how-it-works.md). */
export const QUALITY_TARGETS = {
  low: 0.983,
  medium: 0.9874,
  high: 0.9914,
  'very-high': 0.9953,
  lossless: 1,
} as const;
export type QualityName = keyof typeof QUALITY_TARGETS;

/** Whether every sample has to stay. An image that is scaled has new samples. */
export function isLossless({ targetScore }: Pick<CompressionPolicy, 'targetScore'>): boolean {
  return targetScore === QUALITY_TARGETS.lossless;
}

/** How much time to spend: `fast` omits expensive steps that save little; `max` adds encodes to save the last percent. */
export const EFFORTS = ['fast', 'balanced', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Returns a target in millionths, as markers store it: rounded, but never up to a target that the result was not made for. */
export function storedMillionths(targetScore: number): number {
  const rounded = Math.round(targetScore * 1e6);
  return rounded / 1e6 > targetScore ? rounded - 1 : rounded;
}

/** Whether a result is enough smaller than its original to replace it. Sizes are in bytes. */
export function savesEnough(
  originalSize: number,
  size: number,
  { minSavingsRatio }: Pick<CompressionPolicy, 'minSavingsRatio'>,
): boolean {
  return size < originalSize && size <= originalSize * (1 - minSavingsRatio);
}
