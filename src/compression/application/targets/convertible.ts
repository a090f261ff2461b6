/**
 * The image of an upload, ready to be written in another format: upright and scaled pixels, the metadata to keep, and a judge
 * of what it may lose. Made by each upload format.
 */
import type { RemovedCompanion } from '../../../contract/report-words';
import type { Dimensions } from '../../domain/dimensions';
import type { Pixels } from '../../domain/pixels';
import type { ToneCurves } from '../../domain/tone';
import type { EmbeddedBlocks } from '../../formats/embedded-blocks';
import type { Judge } from './judge';

/** Changed pixels that look like the source. */
export interface ReducedPixels {
  readonly pixels: Pixels;
  readonly score: number;
  /** Largest difference of any channel; absent for a palette. */
  readonly maxError?: number;
}

export interface Convertible {
  /** Grey, RGB or RGBA of 8 bits; no channel is redundant. */
  readonly pixels: Pixels;
  readonly dimensions: Dimensions;
  readonly isPhoto: boolean;
  readonly metadata: EmbeddedBlocks;
  /** What `pixels` were shown by, where they have other samples than the upload. */
  readonly curves?: ToneCurves;
  /** What the result does not have besides metadata. */
  readonly removed: readonly RemovedCompanion[];
  /** The pixels that the PNG recipe has made smaller without a visible difference; undefined if it has not. */
  readonly reduced?: () => Promise<ReducedPixels | undefined>;
  readonly judge: () => Judge;
}
