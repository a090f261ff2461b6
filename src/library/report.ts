/**
 * The report as the library and `ics --json` show it: flat, with names of its own. docs/library.md lists the
 * headers that they match.
 */
import type { Comparison } from '../compression/application/comparing/comparison';
import type { Report } from '../contract/report';
import { scoreText } from '../contract/report-words';

type Measured = Omit<Report, 'score' | 'originalDimensions' | 'dimensions'>;

/** A result in numbers. Sizes are in bytes, width and height in pixels, upright. Members that do not apply are absent. */
export interface CompressionReport extends Measured {
  /** Whether the result is the given file, byte for byte. */
  readonly skipped: boolean;
  /** Similarity of the result to the original, 0 to 1, with four decimals; 1 if no pixel changed. */
  readonly ssim: number;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly width: number;
  readonly height: number;
}

export interface CompressedImage {
  /** The given bytes if `report.skipped`. May be a view into a larger buffer. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly report: CompressionReport;
}

export interface ComparedImages extends Comparison {
  /** With the option `map`: a PNG of the size of the image, the differences of each channel ten times as strong. */
  readonly map?: Uint8Array<ArrayBuffer>;
}

/** @param report may be of an earlier run, without times */
export function describeReport<Given extends Omit<Report, 'timings' | 'encodes'>>(report: Given) {
  const { score, originalDimensions, dimensions, removed, ...facts } = report;
  return {
    ...facts,
    ...(removed?.length && { removed }),
    skipped: facts.skipReason !== undefined,
    ssim: Number(scoreText(score)),
    originalWidth: originalDimensions.width,
    originalHeight: originalDimensions.height,
    width: dimensions.width,
    height: dimensions.height,
  };
}
