/**
 * What the page knows about the deployment before its first request: limits, defaults, and whether a key is
 * needed.
 */
import type { FormatTable, ResultFormatName } from '../contract/formats';
import type { KeptMetadataName, QualityName } from '../compression/domain/compression-policy';

/** A format of results to choose: the format of the upload, the smallest that browsers show, or a named one. */
export type FormatChoice = 'same' | 'auto' | ResultFormatName;

/** Every visitor can read them in the source of the page. */
export interface PageFacts {
  readonly signup: 'open' | 'closed';
  readonly needsKey: boolean;
  readonly maxUploadBytes: number;
  /** Longer side in pixels; larger images are scaled down. */
  readonly maxDimensionPx: number;
  /** The smallest longer side that may be requested, in pixels. */
  readonly minDimensionPx: number;
  readonly imagesPerMinute: number;
  /** Images that a visitor may compress without an account; 0 = none. */
  readonly trialImages: number;
  /** The formats of results: those of this service, and those of packages. */
  readonly formats: FormatTable;
  /** The score that results reach, 0..1. */
  readonly targetScore: number;
  readonly qualities: Readonly<Record<QualityName, number>>;
  /** The metadata that a rewritten file keeps by default. */
  readonly keptMetadata: KeptMetadataName;
  /** The default format of results; absent if the page does not offer the operator's. */
  readonly format?: FormatChoice | undefined;
}
