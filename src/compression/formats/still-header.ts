/** The header of an image that becomes pixels before anything else: a WebP or AVIF. */
import type { RemovedData } from '../../contract/report-words';
import type { Dimensions, Orientation } from '../domain/dimensions';
import type { UploadBlocks } from './embedded-blocks';

export interface StillHeader {
  /** Of the image as it is shown: upright, without what is cut off. */
  readonly dimensions: Dimensions;
  /** Pixels that a decoder holds: of the largest frame, or of all tiles. The coded frames may be larger than the image. */
  readonly codedPixels: number;
  /** What turns the stored pixels upright; 1 where the format says it besides EXIF, because decoders then apply it. */
  readonly orientation: Orientation;
  readonly isAnimated: boolean;
  readonly mayBeTransparent: boolean;
  /** Whether its coding may have lost something: its noise is no drawing. */
  readonly isLossy: boolean;
  readonly blocks: UploadBlocks;
  /** What decoders leave out. */
  readonly removed: readonly RemovedData[];
}
