/**
 * What a worker reports about an image. The members of a report are rows of a table in contract/report.ts; a
 * comparison adds its own.
 */
import type { Report } from '../../contract/report';
import type { Dimensions } from './dimensions';

/** The report of a compression or a comparison, as the worker sends it. */
export interface CompressionReport extends Report {
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

/** In pixels, from the upper left corner of the upright image. */
export interface Rectangle extends Dimensions {
  readonly x: number;
  readonly y: number;
}

/** A result and its report; the bytes of the upload if the report has a `skipReason`. */
export interface CompressedImage {
  readonly bytes: Uint8Array;
  readonly report: CompressionReport;
}
