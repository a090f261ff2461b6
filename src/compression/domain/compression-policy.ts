import type { ResultFormatName, UploadFormat } from '../../contract/formats';
import type { SizeLimits } from './dimensions';

export interface CompressionPolicy extends SizeLimits {
  /** As declared in the header. */
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
  readonly keepMetadata: KeptMetadata;
  /** Result formats to choose from; the smallest result wins. `same` is the format of the upload. Only `same` if absent. */
  readonly formats?: readonly (ResultFormatName | 'same')[];
  /** The colour behind transparent pixels, which makes the result opaque; they stay transparent if absent. */
  readonly background?: Rgb;
  readonly byteLimit?: ByteLimit;
}

/** An attempt to fit into a byte limit. */
export interface FitAttempt {
  /** From 0, the target, to 1, the lowest acceptable score. */
  readonly share: number;
  /** The lowest score that it may have. */
  readonly floor: number;
}

const OWN: readonly string[] = ['jpeg', 'png'] satisfies UploadFormat[];

export function mayHaveFormat(
  format: string,
  upload: ResultFormatName | undefined,
  { formats = ['same'] }: Pick<CompressionPolicy, 'formats'>,
): boolean {
  // An upload that a package reads becomes a JPG or PNG.
  const isRead = formats.includes('same') && !OWN.includes(upload ?? '') && OWN.includes(format);
  return format === upload || isRead || (format !== 'same' && formats.includes(format));
}

export type Rgb = readonly [number, number, number];

export interface DeploymentPolicy extends CompressionPolicy {
  readonly keepMetadata: KeptMetadataName;
}

export const MOST_DENSITY = 4;
export const LEAST_DIMENSION_PX = 16;
export const MOST_DIMENSION_PX = 16_384;

export interface ByteLimit {
  readonly maxBytes: number;
  /** Whether a result may look worse than `low`, and exceed the limit if nothing fits, rather than be refused. */
  readonly allowsAny: boolean;
}

/** `none`: only what is needed to display the image. `copyright`: also author and rights. */
export const KEPT_METADATA = ['none', 'copyright', 'all'] as const;
export type KeptMetadataName = (typeof KEPT_METADATA)[number];

export const METADATA_PARTS = ['copyright', 'creation', 'location'] as const;
export type MetadataPart = (typeof METADATA_PARTS)[number];

export type KeptMetadata = KeptMetadataName | readonly MetadataPart[];

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

/** Returns the smallest candidate; undefined if it saves too little, unless the original `mustChange`. */
export function chooseSmallest<C extends { readonly bytes: Uint8Array }>(
  originalSize: number,
  candidates: readonly C[],
  {
    minSavingsRatio,
    mustChange,
  }: Pick<CompressionPolicy, 'minSavingsRatio'> & { readonly mustChange: boolean },
): C | undefined {
  const smallest = [...candidates].sort((a, b) => a.bytes.length - b.bytes.length).at(0);
  if (!smallest || mustChange) return smallest;
  const { length } = smallest.bytes;
  return length < originalSize && length <= originalSize * (1 - minSavingsRatio) ? smallest : undefined;
}
