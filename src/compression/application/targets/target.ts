/**
 * A format that results can have, as the recipes see it. Each built-in format has a file in this folder; modules of the
 * operator add more (see docs/adding-a-codec.md).
 */
import type { FormatFacts, TargetFormat } from '../../../contract/formats';
import type { Effort } from '../../domain/compression-policy';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import type { Patience } from '../../domain/search/quality-search';
import type { TileOptions } from '../../domain/search/mosaic';
import type { CurveModel, QualityRange } from '../../domain/search/trial-curve';
import type { BlockName, EmbeddedBlocks } from '../../formats/embedded-blocks';

export interface Target {
  /** Largest width and height in pixels. */
  readonly maxSidePx: number;
  /** Whether it holds transparency. */
  readonly hasAlpha: boolean;
  /** The blocks of metadata that it writes, none if absent; the report names those that it drops. */
  readonly holds?: readonly BlockName[];
  /** Longest EXIF and XMP block that it holds; any length if absent. */
  readonly maxBlockBytes?: number;
  /** Writes the pixels without loss; colours under an alpha of 0 may change. Absent if the format cannot. */
  readonly encodeLosslessly?: (pixels: Pixels, options: LosslessOptions) => Promise<Uint8Array>;
  /** Ways to write the pixels with loss, of which the smaller one is used; empty if there is none. */
  readonly lossy: readonly LossyCoding[];
  /** A format that takes fewer bytes for every photo. Where it is accepted too, this one is only tried if that one fails. */
  readonly smallerForPhotos?: TargetFormat;
  /**
   * Decodes a file that this target has written, to samples of 8 bits.
   * @param original what was encoded
   */
  decode(file: Uint8Array, original: Pixels): Promise<Pixels>;
}

interface LosslessOptions {
  readonly effort: Effort;
  /** Blocks to write into the file. */
  readonly metadata: EmbeddedBlocks;
}

/** What decides how an image is encoded, besides its pixels. */
export interface ImageFacts {
  readonly effort: Effort;
  /** Number of pixels of the whole image, also where a part of it is encoded. */
  readonly pixelCount: number;
  /** False for graphics. */
  readonly isPhoto: boolean;
}

interface EncodeOptions {
  readonly quality: number;
  /** `trial` encodes guide the search and may be made with less effort. */
  readonly purpose: 'trial' | 'delivery';
  readonly image: ImageFacts;
  /** Blocks to write into the file. */
  readonly metadata: EmbeddedBlocks;
}

/** How a coding is tried before the image is encoded for delivery. */
export interface TrialPlan {
  /**
   * `mosaic`: a part of the image. `whole`: all of it, with less effort, judged as files are. `file`: as it may be delivered,
   * where less effort would save little time or predict badly.
   */
  readonly of: 'mosaic' | 'whole' | 'file';
  /** Step of the first trial at the target `high`. */
  readonly usualStep: number;
  /** Usual loss of the file ÷ loss of the trial at the same quality. */
  readonly lossRatio: number;
  /** Usual bytes of the file ÷ bytes of the trial for the same area. */
  readonly sizeRatio: number;
}

/** A lossy encoder with what the search of its quality needs to know. */
export interface LossyCoding {
  readonly chroma: ChromaSubsampling;
  /** Over the steps of the search, which are qualities unless `qualityOf` says otherwise. */
  readonly curve: CurveModel;
  readonly range: QualityRange;
  /** Returns the quality of a step. Absent if every quality writes another file. */
  readonly qualityOf?: (step: number) => number;
  /** Returns the slope of the loss of an image whose trial took so many bits a pixel; absent if trials do not tell it. */
  readonly lossSlope?: (bitsPerPixel: number, step: number, image: ImageFacts) => number | undefined;
  /** The tiles of a mosaic, and how much of them the encoder spoils: see MosaicReference. */
  readonly tiles: TileOptions;
  readonly trials: (image: ImageFacts) => TrialPlan;
  readonly patience: (image: ImageFacts) => Patience;
  encode(pixels: Pixels, options: EncodeOptions): Promise<Uint8Array>;
}

/** What a module that adds a format exports as `format`. */
export interface AddedFormat extends FormatFacts, Target {
  /** Lower-case letters and digits, as in `format=qoi`. */
  readonly name: string;
}
