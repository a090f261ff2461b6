/** An upload of any format, opened: what the steps after it may know. Nothing is decoded before its pixels are asked for. */
import type { RemovedData } from '../../contract/report-words';
import type { Dimensions } from '../domain/dimensions';
import type { Judge } from '../domain/judge';
import type { Pixels } from '../domain/pixels';
import type { EmbeddedBlocks } from '../formats/embedded-blocks';
import type { Source } from '../formats/image-header';
import type { Candidate, Result } from './choose';
import type { Context } from './context';

export interface OpenedImage {
  readonly source: Source;
  /** Dimensions of the result, upright. */
  readonly size: Dimensions;
  /** Whether it is an animation or a nine-patch, which keeps its format, its dimensions and its colours. */
  readonly isFixed: boolean;
  /** Whether the upload itself cannot be the result, because it has to be scaled or flattened. */
  readonly mustChange: boolean;
  /** Processor time of the shortest way to a smaller file: see canEnd. */
  readonly leastMs: number;
  /** Returns what may win in the format of the upload; nothing if the upload is the result. */
  codings(): Promise<readonly Candidate[]>;
  /** Expected bytes in the format of the upload; 0 if nothing may be lost. Absent if only making it tells. */
  estimate?(): Promise<number>;
  /** The upload, or a copy with the same coded data and without the metadata that the policy does not keep. */
  unchanged(): Result;
  /** Returns the image for other formats. @param own makes the result in the format of the upload */
  shown(own: () => Promise<Result>): Promise<ShownImage>;
  /** Opens the upload for another target or smaller dimensions, which are scaled from these pixels where that is possible. */
  reopen(context: Context): OpenedImage;
  /** Expected bytes of a photo as a JPG at the same target; undefined if they would not be much fewer. Absent for JPGs. */
  estimateAsJpeg?(result: Result): Promise<number | undefined>;
}

/** The image for another format, with the metadata to keep and a judge of its loss. */
export interface ShownImage {
  /** Upright and scaled: grey, RGB or RGBA of 8 bits in the curve of sRGB; no channel is redundant. */
  readonly pixels: Pixels;
  readonly isPhoto: boolean;
  /** The density at which it is judged. */
  readonly density: number;
  readonly metadata: EmbeddedBlocks;
  /** Whether `pixels` has other samples than the upload, because they show its colours elsewhere. */
  readonly isConverted: boolean;
  /** What no other format can hold. */
  readonly removed: readonly RemovedData[];
  /** The pixels as the result in the upload's format has them, without a visible difference; undefined if they are unchanged. */
  readonly reduced?: (() => Promise<ReducedPixels | undefined>) | undefined;
  readonly judge: () => Judge;
}

export interface ReducedPixels {
  readonly pixels: Pixels;
  readonly score: number;
  /** Largest difference of any channel; absent for a palette. */
  readonly maxError?: number;
}

/** The image that others are compared with. */
export interface View {
  /** The bytes that define the colours of its samples; empty if there are none. */
  readonly colours: Uint8Array;
  stored(): Promise<Pixels>;
  /** The RGB profile of the samples of `shown`; absent for sRGB. */
  readonly icc?: Uint8Array | undefined;
  /** The samples in the curve of sRGB, as other formats hold them; absent if that curve cannot hold them (PQ, HLG, Lab). */
  readonly shown?: (() => Promise<Pixels>) | undefined;
  /** The samples as sRGB; absent unless a lookup table gives them their meaning. */
  readonly inSrgb?: (() => Promise<Pixels>) | undefined;
}
