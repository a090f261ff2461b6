/** The report of the library. Its names are those of `ics compress --json`; docs/library.md lists the headers that they match. */
import type {
  StageTimings,
  CompressionReport as EngineReport,
} from '../compression/domain/compression-report';
import type { Comparison } from '../compression/application/comparing/comparison';
import type { ResultFormatName } from '../contract/formats';
import {
  scoreText,
  type BudgetOutcome,
  type RemovedCompanion,
  type SkipReason,
} from '../contract/report-words';

/** A result in numbers. Sizes are in bytes, width and height in pixels, upright. Members that do not apply are absent. */
export interface CompressionReport {
  /** The format of the result. */
  readonly format: ResultFormatName;
  readonly originalSize: number;
  readonly compressedSize: number;
  /** max(0, original − compressed); scaling down may add bytes. */
  readonly bytesSaved: number;
  /** Whether the result is the given file, byte for byte. */
  readonly skipped: boolean;
  /** Why it was skipped. */
  readonly skipReason?: SkipReason;
  /** 1 to 100, on the scale of the encoder of the format; absent for PNG, lossless WebP and a skipped file. */
  readonly quality?: number;
  /** Similarity of the result to the original, 0 to 1, with four decimals; 1 if no pixel changed. */
  readonly ssim: number;
  /** Pixels per CSS pixel at which both were compared; absent at 1. */
  readonly density?: number;
  /** What was removed besides metadata. */
  readonly removed?: readonly RemovedCompanion[];
  /** For PNG and lossless WebP: the largest difference of any channel of any pixel, 0 to 255; absent with a new palette. */
  readonly maxError?: number;
  /** With `maxBytes`: whether the result fits. */
  readonly budget?: BudgetOutcome;
  /** Estimated bytes as a JPG of the same quality, for an opaque photo in a PNG; absent unless that is much smaller. */
  readonly jpegEstimate?: number;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly width: number;
  readonly height: number;
  /** Time in each stage, in milliseconds. */
  readonly timings: StageTimings;
  /** Number of full encodes, including the one of the result. */
  readonly encodes: number;
}

/** The result of a compression. */
export interface CompressedImage {
  /** The given bytes if `report.skipped`. May be a view into a larger buffer. */
  readonly bytes: Uint8Array;
  readonly report: CompressionReport;
}

/** The result of a comparison. */
export interface ComparedImages extends Comparison {
  /** With the option `map`: a PNG of the size of the image, the differences of each channel ten times as strong. */
  readonly map?: Uint8Array;
}

/** @param report may be of an earlier run, without times */
export function reportOf<Report extends Omit<EngineReport, 'timings' | 'encodes'>>(report: Report) {
  const { score, originalDimensions, dimensions, removed, ...facts } = report;
  return {
    ...facts,
    ...(removed?.length ? { removed } : {}),
    skipped: facts.skipReason !== undefined,
    ssim: Number(scoreText(score)),
    originalWidth: originalDimensions.width,
    originalHeight: originalDimensions.height,
    width: dimensions.width,
    height: dimensions.height,
  };
}
