/** The result of a comparison, as command line and library report it. */
import { scoreText } from '../../../contract/report-words';
import type { ResultFormatName } from '../../../contract/formats';
import type { ComparedReport, Rectangle } from '../../domain/compression-report';

/** Sizes are in bytes, width and height in pixels, upright. Members that do not apply are absent. */
export interface Comparison {
  /** The score: similarity of the image to the original, 0 to 1, with four decimals; the same number as that of a compression. */
  readonly ssim: number;
  /** SSIMULACRA 2.1 with two decimals, at most 100; absent if the images are smaller than 8 × 8 px as they are seen. */
  readonly ssimulacra2?: number;
  /** The largest difference of any channel of any pixel, 0 to 255. */
  readonly maxError: number;
  /** The square that differs most, in pixels of the image; absent if no pixel differs. */
  readonly worst?: Rectangle;
  /** Pixels per CSS pixel at which both were compared; absent at 1. */
  readonly density?: number;
  readonly format: ResultFormatName;
  readonly originalSize: number;
  readonly imageSize: number;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly width: number;
  readonly height: number;
}

export function describeComparison(report: ComparedReport): Comparison {
  const { comparison, maxError, density, originalDimensions, dimensions } = report;
  const { ssimulacra2, worst } = comparison;
  return {
    ssim: Number(scoreText(report.score)),
    ...(ssimulacra2 !== undefined && { ssimulacra2: Number(ssimulacra2.toFixed(2)) }),
    maxError,
    ...(worst && { worst }),
    ...(density !== undefined && { density }),
    format: report.format,
    originalSize: report.originalSize,
    imageSize: report.compressedSize,
    originalWidth: originalDimensions.width,
    originalHeight: originalDimensions.height,
    ...dimensions,
  };
}
