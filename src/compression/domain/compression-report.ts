/** What a worker returns for an image, and what it says about it. */
import type { Report } from '../../contract/report';
import type { Dimensions } from './dimensions';

/** What is reported of an image that is not compressed here, but compared with its original. */
export interface ComparedReport extends Report {
  readonly maxError: number;
  readonly comparison: ComparisonReport;
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
  readonly report: Report;
}

export interface ComparedImage {
  /** A PNG of the amplified differences; empty unless asked for. */
  readonly bytes: Uint8Array;
  readonly report: ComparedReport;
}
