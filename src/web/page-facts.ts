import type { BuiltInFormat } from '../contract/formats';
import type { KeptMetadataName, PngMode, QualityName } from '../compression/domain/compression-policy';

/** What the page offers as the format of results: that of the upload, the smallest that browsers show, or one. */
export type FormatChoice = 'same' | 'auto' | BuiltInFormat;

/** What the page has to know of its deployment before it asks anything: whom it lets in and what it takes.
 * Nothing secret: whoever opens the page reads it in its source. */
export interface PageFacts {
  readonly signup: 'open' | 'invite' | 'closed';
  /** Largest file, in bytes. */
  readonly maxUploadBytes: number;
  /** Longer side in pixels; larger images are scaled down. */
  readonly maxDimensionPx: number;
  /** The smallest longer side that may be asked for. */
  readonly minDimensionPx: number;
  /** Images an account may send a minute; 0 = any number. */
  readonly imagesPerMinute: number;
  /** Images that a visitor may compress without an account; 0 = none. */
  readonly trialImages: number;
  /** The score that results reach, 0..1. */
  readonly targetScore: number;
  /** The scores that the named qualities stand for, the lowest first. */
  readonly qualities: Readonly<Record<QualityName, number>>;
  /** Largest number of files in a set. */
  readonly setVariants: number;
  /** What a rewritten file keeps of its metadata. */
  readonly keptMetadata: KeptMetadataName;
  /** What it may keep if asked. */
  readonly metadataChoices: readonly KeptMetadataName[];
  /** What a PNG may lose if nothing is asked for. */
  readonly pngMode: PngMode;
  /** The default format of results; absent if the page does not offer the operator's. */
  readonly format?: FormatChoice | undefined;
  /** The display density that results are made for if nothing is asked for; absent where requests cannot choose one. */
  readonly density?: 1 | 2 | undefined;
}
