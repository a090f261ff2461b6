/** Decides which files a set has: sizes by formats, none larger than the upload allows. */
import type { ResultFormatName, UploadFormat } from '../../../contract/formats';
import type { ResultFormats } from '../../../contract/result-formats';
import { MOST_DENSITY, type CompressionPolicy } from '../compression-policy';
import { fitWithin, type Dimensions } from '../dimensions';

/** Widths of the files in pixels, or the width in a page in CSS pixels and the densities of the displays. */
export type SetSizes =
  { readonly widths: readonly number[] } | { readonly width: number; readonly densities: readonly number[] };

export interface SetOptions {
  readonly sizes: SetSizes;
  /** Start of the file names. */
  readonly name: string;
  /** Text instead of the image, for the markup. */
  readonly alt: string;
  /** Shown until the image has loaded. */
  readonly placeholder?: PlaceholderKind | undefined;
}

export const PLACEHOLDERS = ['colour', 'blur'] as const;
export type PlaceholderKind = (typeof PLACEHOLDERS)[number];

export type SetFormats = readonly (ResultFormatName | 'same')[];

export interface SetSize {
  /** Of the file, in pixels. */
  readonly width: number;
  /** Pixels per CSS pixel at which it is judged. */
  readonly density: number;
}

/** A file to be made. */
export interface Variant extends SetSize {
  readonly name: string;
  readonly format: ResultFormatName;
  /** The same as for a single image with the option `max_dimension`. */
  readonly policy: CompressionPolicy;
}

export interface SetPlan {
  readonly options: SetOptions;
  /** By width; those that share the decoded image are neighbours. */
  readonly variants: readonly Variant[];
  /** Sizes that are wider than the upload, or than MAX_DIMENSION_PX allows; of an animation, all others than its own. */
  readonly leftOut: readonly SetSize[];
  readonly placeholder?: CompressionPolicy;
  /** Those of the variants, and others. */
  readonly resultFormats: ResultFormats;
}

/** Returns the largest number of files that a set can have. */
export function mostVariants({ sizes }: SetOptions, formats: SetFormats): number {
  return sizesOf(sizes, 1).length * formats.length;
}

/**
 * @param upload its format, and its dimensions as shown; an animation keeps them, so its set has one size
 * @param policy for each file, except its size; its formats are those of the set
 */
export function planSet(
  upload: { readonly format: UploadFormat; readonly dimensions: Dimensions; readonly isAnimated?: boolean },
  options: SetOptions,
  policy: CompressionPolicy,
  resultFormats: ResultFormats,
): SetPlan {
  const { dimensions, isAnimated } = upload;
  const largest = isAnimated ? dimensions.width : fitWithin(dimensions, policy).width;
  const asked = sizesOf(options.sizes, policy.density);
  const fitting = isAnimated ? [] : asked.filter(({ width }) => width <= largest);
  const sizes = fitting.length > 0 ? fitting : [ownSize(options.sizes, policy.density, largest)];
  const accepted = policy.formats ?? ['same'];
  const named = [...new Set(accepted.map((format) => (format === 'same' ? upload.format : format)))];
  // A conversion decodes the upload for the other formats too.
  const inOrder = [true, false].flatMap((isOther) =>
    named.filter((format) => (format !== upload.format) === isOther),
  );
  const most = policy.usualMaxDimensionPx ?? policy.maxDimensionPx;
  return {
    options,
    variants: sizes.flatMap((size) =>
      inOrder.map((format): Variant => {
        const name = `${options.name}-${labelOf(options.sizes, size)}.${resultFormats.of(format).extensions[0]}`;
        const maxDimensionPx = longerSide(dimensions, size.width);
        const formats = [format === upload.format ? 'same' : format];
        const sized = { density: size.density, maxDimensionPx, usualMaxDimensionPx: most };
        return { ...size, name, format, policy: { ...policy, ...sized, formats } };
      }),
    ),
    leftOut: asked.filter(({ width }) => sizes.every((size) => size.width !== width)),
    resultFormats,
    ...(options.placeholder && !isAnimated
      ? { placeholder: placeholderPolicy(policy, options.placeholder) }
      : {}),
  };
}

/** In ascending order, each once. */
function sizesOf(sizes: SetSizes, density: number): SetSize[] {
  const all =
    'widths' in sizes
      ? sizes.widths.map((width) => ({ width, density }))
      : sizes.densities.map((one) => ({ width: Math.round(sizes.width * one), density: one }));
  const byWidth = new Map(all.map((size) => [size.width, size]));
  return [...byWidth.values()].sort((a, b) => a.width - b.width);
}

/** The upload's own width, for a set that would otherwise be empty. */
function ownSize(sizes: SetSizes, density: number, width: number): SetSize {
  if ('widths' in sizes) return { width, density };
  const asSeen = Math.floor((10 * width) / sizes.width) / 10;
  return { width, density: Math.min(Math.max(1, asSeen), MOST_DENSITY) };
}

function labelOf(sizes: SetSizes, { width, density }: SetSize): string {
  if ('widths' in sizes || density === 1) return String(width);
  return `${sizes.width}@${density}x`;
}

/** Returns the longer side of the image at a width. */
function longerSide({ width, height }: Dimensions, wanted: number): number {
  return height > width ? Math.max(1, Math.round((height * wanted) / width)) : wanted;
}

/** A preview of at most 16 px in few bytes, or a single pixel. */
function placeholderPolicy(policy: CompressionPolicy, kind: PlaceholderKind): CompressionPolicy {
  const cheap = { ...policy, targetScore: 0.9, density: 1, effort: 'fast', keepMetadata: 'none' } as const;
  return kind === 'blur'
    ? { ...cheap, maxDimensionPx: 16, formats: ['webp'] }
    : { ...cheap, maxDimensionPx: 1, formats: ['png'], pngDepth: '8' };
}
