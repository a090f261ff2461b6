/**
 * The image of an upload, ready for another format: upright and scaled pixels, the metadata to keep, and a judge of its loss. Made by
 * each upload format.
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
  /** Pixels per CSS pixel at which the image is judged. */
  readonly density: number;
  readonly metadata: EmbeddedBlocks;
  /** The curves that produced `pixels`, if their samples differ from the upload's. */
  readonly curves?: ToneCurves;
  /** Data that the result lacks, besides metadata. */
  readonly removed: readonly RemovedCompanion[];
  /** The pixels as the PNG recipe reduced them without a visible difference; undefined if it did not. */
  readonly reduced?: () => Promise<ReducedPixels | undefined>;
  readonly judge: () => Judge;
}
