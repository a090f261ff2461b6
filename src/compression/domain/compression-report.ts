import type { Dimensions } from './dimensions';

/** The formats that the service takes and gives. */
export type ImageFormat = 'jpeg' | 'png';

/** Why the uploaded file was returned untouched; a closed set, part of the HTTP contract. */
export type SkipReason = 'already-optimised' | 'animated' | 'motion-photo' | 'multi-picture';

/** Time spent in each stage of the recipe, in milliseconds. */
export interface StageTimings {
  readonly decode: number;
  readonly search: number;
  readonly encode: number;
  readonly verify: number;
}

/** What was done to one image and what it gained. Sizes in bytes, dimensions upright. */
export interface CompressionReport {
  readonly format: ImageFormat;
  readonly originalSize: number;
  readonly compressedSize: number;
  /** max(0, original − compressed): a forced downscale may gain bytes, the saving is then 0. */
  readonly bytesSaved: number;
  /** Present only when the result is the uploaded file, byte for byte. */
  readonly skipReason?: SkipReason;
  /** JPEG quality 1..100; absent for PNG and for a skipped file. */
  readonly quality?: number;
  /** Score of the delivered pixels against the upright, scaled source, 0..1; 1 = unchanged. */
  readonly score: number;
  readonly originalDimensions: Dimensions;
  readonly dimensions: Dimensions;
  readonly timings: StageTimings;
  /** Whole encodes that were made, the delivered one included. */
  readonly encodes: number;
}

/** The result of a compression: the bytes to deliver and the account of them. */
export interface CompressedImage {
  readonly bytes: Uint8Array;
  readonly report: CompressionReport;
}
