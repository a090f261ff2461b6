/**
 * Decides which files a set has, before any is made: sizes by formats, none larger than the upload. Each file
 * gets the policy of a single request, so that a set has the same results as its requests one by one.
 */
import type { Formats, ResultFormatName } from '../contract/formats';
import { MOST_DENSITY, type CompressionPolicy } from '../compression/domain/compression-policy';
import { fitWithin, type Dimensions } from '../compression/domain/dimensions';

/** Widths of the files in pixels, or the width in a page in CSS pixels and the densities of the displays. */
export type SetSizes =
  { readonly widths: readonly number[] } | { readonly width: number; readonly densities: readonly number[] };

export interface SetOptions {
  readonly sizes: SetSizes;
  readonly name: string;
  /** Text instead of the image, for the markup. */
  readonly alt: string;
  readonly placeholder?: PlaceholderKind | undefined;
}

export const PLACEHOLDERS = ['colour', 'blur'] as const;
/** What a page shows until the image has loaded: its mean colour, or a tiny preview. */
export type PlaceholderKind = (typeof PLACEHOLDERS)[number];

export interface SetSize {
  readonly width: number;
  readonly density: number;
}

export interface Variant extends SetSize {
  readonly name: string;
  readonly format: ResultFormatName;
  /** The same as for a single image with the option `max_dimension`. */
  readonly policy: CompressionPolicy;
}

export interface SetPlan {
  /** By width; the upload's own format last. */
  readonly variants: readonly Variant[];
  /** Wider than the upload or than MAX_DIMENSION_PX, and replaced by its own width; of animations and nine-patches, all but their own size. */
  readonly leftOut: readonly SetSize[];
  /** Sentences for the user about formats that are left out. */
  readonly notes: readonly string[];
  readonly placeholder?: CompressionPolicy;
}

/** Returns the largest number of files that a set can have. */
export function mostVariants({ sizes }: SetOptions, formats: readonly (ResultFormatName | 'same')[]): number {
  return listSizes(sizes, 1).length * formats.length;
}

/** What the header of the upload says. */
export interface SetUpload {
  /** Of a package's upload: what `same` means for it. */
  readonly format: ResultFormatName;
  readonly dimensions: Dimensions;
  readonly isAnimated?: boolean;
  /** Whether a package reads it. */
  readonly isAdded?: boolean;
  readonly isNinePatch?: boolean;
  /** Whether a conversion would lose data such as a gain map, or change the displayed colours. */
  readonly losesByConversion?: boolean;
}

/** Animations and nine-patches keep their size; images that would lose by a conversion keep their own format if it is asked for. */
export function planSet(
  upload: SetUpload,
  options: SetOptions,
  policy: CompressionPolicy,
  knownFormats: Formats,
): SetPlan {
  const { format: own, dimensions, isAnimated, isNinePatch, isAdded } = upload;
  const isFixed = isAnimated || isNinePatch;
  const largest = isFixed ? dimensions.width : fitWithin(dimensions, policy).width;
  const asked = listSizes(options.sizes, policy.density);
  const fitting = isFixed ? [] : asked.filter(({ width }) => width <= largest);
  // Widths above it give way to that of the image, so that the set ends with all its pixels.
  const isCut =
    'widths' in options.sizes && fitting.length < asked.length && fitting.at(-1)?.width !== largest;
  const isComplete = fitting.length > 0 && !isCut;
  const sizes = isComplete ? fitting : [...fitting, ownSize(options.sizes, policy.density, largest)];
  const accepted = policy.formats ?? ['same'];
  const named = [...new Set(accepted.map((format) => (format === 'same' ? own : format)))];
  const others = named.filter((format) => format !== own);
  const reason = named.includes(own) && others.length > 0 ? reasonToStay(upload) : undefined;
  const formats = [...(reason ? [] : others), ...named.filter((format) => format === own)];
  const most = policy.defaultMaxDimensionPx ?? policy.maxDimensionPx;
  return {
    variants: sizes.flatMap((size) =>
      formats.map((format): Variant => {
        const name = `${options.name}-${labelSize(options.sizes, size)}.${knownFormats.of(format).extensions[0]}`;
        const maxDimensionPx = longerSide(dimensions, size.width);
        const sized = { density: size.density, maxDimensionPx, defaultMaxDimensionPx: most };
        // The upload of a package, in a format of its own, may be the `same`.
        const only = { formats: [format === own && !isAdded ? 'same' : format] };
        return { ...size, name, format, policy: { ...policy, ...sized, ...only } };
      }),
    ),
    leftOut: asked.filter(({ width }) => sizes.every((size) => size.width !== width)),
    notes: reason
      ? others.map((format) => `${options.name} was not made as ${knownFormats.of(format).label}: ${reason}.`)
      : [],
    ...(options.placeholder && !isFixed && { placeholder: placeholderPolicy(policy, options.placeholder) }),
  };
}

function reasonToStay({ isAnimated, isNinePatch, losesByConversion }: SetUpload): string | undefined {
  if (isAnimated) return 'it is animated';
  if (isNinePatch) return 'it is an Android nine-patch';
  return losesByConversion ? 'it would lose data such as a gain map, or its colours' : undefined;
}

function listSizes(sizes: SetSizes, density: number): SetSize[] {
  const all =
    'widths' in sizes
      ? sizes.widths.map((width) => ({ width, density }))
      : sizes.densities.map((one) => ({ width: Math.round(sizes.width * one), density: one }));
  const byWidth = new Map(all.map((size) => [size.width, size]));
  return [...byWidth.values()].sort((a, b) => a.width - b.width);
}

function ownSize(sizes: SetSizes, density: number, width: number): SetSize {
  if ('widths' in sizes) return { width, density };
  const asSeen = Math.floor((10 * width) / sizes.width) / 10;
  return { width, density: Math.min(Math.max(1, asSeen), MOST_DENSITY) };
}

function labelSize(sizes: SetSizes, { width, density }: SetSize) {
  if ('widths' in sizes || density === 1) return String(width);
  return `${sizes.width}@${density}x`;
}

/** Returns the longer side of a result with this width, as policies limit the longer side. */
function longerSide({ width, height }: Dimensions, wanted: number) {
  return height > width ? Math.max(1, Math.round((height * wanted) / width)) : wanted;
}

/** A preview of at most 16 px in few bytes, or a single pixel. */
function placeholderPolicy(policy: CompressionPolicy, kind: PlaceholderKind): CompressionPolicy {
  const cheap = { ...policy, targetScore: 0.9, density: 1, effort: 'fast', keepMetadata: 'none' } as const;
  return kind === 'blur'
    ? { ...cheap, maxDimensionPx: 16, formats: ['webp'] }
    : { ...cheap, maxDimensionPx: 1, formats: ['png'] };
}
