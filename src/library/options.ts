/**
 * The options of the library. These types are public, so they lead to no types of other packages. Values and
 * defaults follow the option table; check-options.ts compares both.
 */
import type { ResultFormatName } from '../contract/formats';
import type { PlaceholderKind } from '../sets/set-plan';
import type {
  CompressionPolicy,
  KeptMetadataName,
  QualityName,
} from '../compression/domain/compression-policy';

type FormatName = ResultFormatName | 'same';

export interface CompressOptions {
  /** How good the result must look: a name, or a score from 0.9 to 0.9999. `lossless` excludes `maxBytes` and `density`. Default: `high`. */
  readonly quality?: QualityName | number | undefined;
  /** Pixels of the result per CSS pixel where it is shown, 1 to 4: images are compared as seen there. Default: 1. */
  readonly density?: number | undefined;
  /** Time against bytes; the quality is the same. Default: `balanced`. */
  readonly effort?: CompressionPolicy['effort'] | undefined;
  /** What a rewritten file keeps of its metadata. Default: `none`. */
  readonly metadata?: KeptMetadataName | undefined;
  /** Longer side in pixels, 16 to 16384; larger images are scaled down. Default: 3840. */
  readonly maxDimension?: number | undefined;
  /** Larger images are refused (`too_many_pixels`), by their header. Default: 268. */
  readonly maxMegapixels?: number | undefined;
  /** `same` as the input (default), another one, the smallest of a list, or `auto`: of the input's format and those that browsers show. */
  readonly format?: FormatName | 'auto' | readonly FormatName[] | undefined;
  /** Largest size of the result, in bytes or such as `200kB`: the best image that fits. Default: any size. */
  readonly maxBytes?: number | string | undefined;
  /** With `maxBytes`: `any` accepts a quality below `low`, and the smallest result where none fits. */
  readonly allow?: 'any' | undefined;
  /** Largest input in bytes; files, Blobs and streams are read no further. Default: 20 MiB, any size for bytes in memory. */
  readonly maxInputBytes?: number | undefined;
  /** Stops the compression; the promise is rejected with an AbortError. */
  readonly signal?: AbortSignal | undefined;
}

export interface CompareOptions extends Pick<
  CompressOptions,
  'density' | 'maxMegapixels' | 'maxInputBytes' | 'signal'
> {
  /** Whether to draw the differences, ten times as strong. Default: false. */
  readonly map?: boolean | undefined;
}

/** The options of a set: give `widths`, or `width` and `densities`. */
export interface CompressSetOptions extends Omit<CompressOptions, 'maxDimension'> {
  /** Widths of the files in pixels, 16 to 16384. Those above the input's give way to its own. */
  readonly widths?: readonly number[] | undefined;
  /** Width of the image in a page, in CSS pixels. */
  readonly width?: number | undefined;
  /** With `width`: a file for each density, 1 to 4, judged as it is seen there. */
  readonly densities?: readonly number[] | undefined;
  /** Formats, a file of each per size: a list, or text with commas. Default: `same`. */
  readonly format?: string | readonly string[] | undefined;
  /** What the markup shows until the image has loaded. Default: nothing. */
  readonly placeholder?: PlaceholderKind | undefined;
  /** Start of the file names. Default: the name of the input file, or `image`. */
  readonly name?: string | undefined;
  /** Text instead of the image, for the markup. Default: empty. */
  readonly alt?: string | undefined;
}
