import type { ResultFormatName } from '../../contract/formats';
import type { BudgetOutcome, RemovedCompanion, SkipReason } from '../../contract/report-words';
import type { Dimensions } from './dimensions';

/** Time spent in each stage of the recipe, in milliseconds. */
export interface StageTimings {
  readonly decode: number;
  readonly search: number;
  readonly encode: number;
  readonly verify: number;
}

/** A compression in numbers. Sizes are in bytes; dimensions are upright. */
export interface CompressionReport {
  /** The format of the result. */
  readonly format: ResultFormatName;
  readonly originalSize: number;
  readonly compressedSize: number;
  /** max(0, original − compressed); scaling down may add bytes. */
  readonly bytesSaved: number;
  /** Present only if the result is the upload, byte for byte; a copy without private metadata has none. */
  readonly skipReason?: SkipReason;
  /** JPEG quality 1..100; absent for PNG and for a skipped file. */
  readonly quality?: number;
  /** Score of the result against the upright, scaled source, 0..1; 1 = unchanged. */
  readonly score: number;
  /** Pixels per CSS pixel at which the score was measured; absent at 1. */
  readonly density?: number;
  /** Data after the image that were removed. */
  readonly removed?: readonly RemovedCompanion[];
  /** For PNG, the largest difference of any channel of any pixel, 0..255; absent with a new palette. */
  readonly maxError?: number;
  /** Whether the result is within the byte limit; absent if there is none. */
  readonly budget?: BudgetOutcome;
  /** Estimated bytes as a JPG at the target, for an opaque photo in a PNG; absent unless that is much smaller. */
  readonly jpegEstimate?: number;
  readonly originalDimensions: Dimensions;
  readonly dimensions: Dimensions;
  readonly timings: StageTimings;
  /** Number of full encodes, the one of the result included. */
  readonly encodes: number;
  /** Present only if the image was not compressed here, but compared with the upload. */
  readonly comparison?: ComparisonReport;
}

/** The measures of a comparison besides the score and the largest difference. */
export interface ComparisonReport {
  /** At most 100; absent if the images are smaller than 8 × 8 px as they are seen. */
  readonly ssimulacra2?: number;
  /** The square that differs most, in pixels of the compared image; absent if no pixel differs. */
  readonly worst?: Rectangle;
}

export interface Rectangle extends Dimensions {
  /** Of the upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface CompressedImage {
  readonly bytes: Uint8Array;
  readonly report: CompressionReport;
}
