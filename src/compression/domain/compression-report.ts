import type { Report } from '../../contract/report';
import type { Dimensions } from './dimensions';

export interface CompressionReport extends Report {
  /** Present only if the image was not compressed here, but compared with the upload. */
  readonly comparison?: ComparisonReport;
}

export interface ComparisonReport {
  /** At most 100; absent if the images are smaller than 8 × 8 px as they are seen. */
  readonly ssimulacra2?: number;
  /** The square that differs most, in pixels of the compared image; absent if no pixel differs. */
  readonly worst?: Rectangle;
}

export interface Rectangle extends Dimensions {
  readonly x: number;
  readonly y: number;
}

export interface CompressedImage {
  readonly bytes: Uint8Array;
  readonly report: CompressionReport;
}
