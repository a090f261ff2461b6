/**
 * A format that results can have, as the recipes see it. Each built-in format has a file in this folder; modules of the
 * operator add more (see docs/adding-a-codec.md).
 */
import type { FormatFacts, TargetFormat } from '../../../contract/formats';
import type { Effort } from '../../domain/compression-policy';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import type { Patience } from '../../domain/search/quality-search';
import type { CurveModel, QualityRange } from '../../domain/search/trial-curve';
import type { BlockName, EmbeddedBlocks } from '../../formats/embedded-blocks';

export interface Target {
  /** Largest width and height in pixels. */
  readonly maxSidePx: number;
  /** Whether it holds transparency. */
  readonly hasAlpha: boolean;
  /** The blocks of metadata that it writes, none if absent; the report names those that it drops. */
  readonly holds?: readonly BlockName[];
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

interface EncodeOptions extends LosslessOptions {
  readonly quality: number;
  /** `trial` encodes guide the search and may be made with less effort. */
  readonly purpose: 'trial' | 'delivery';
  /** Pixels of the whole image, of which a trial is a part. */
  readonly imagePixels: number;
}

/** A lossy encoder with what the search of its quality needs to know. */
export interface LossyCoding {
  readonly chroma: ChromaSubsampling;
  readonly curve: CurveModel;
  readonly range: QualityRange;
  /** Quality of the first trial at the target `high`. */
  readonly usualQuality: number;
  /** Pixels of the tiles of a mosaic that the encoder spoils: see MosaicReference. */
  readonly seamPx: number;
  /** Allowed loss of this encoder ÷ that of the score's calibration, so that results look equally good. */
  readonly lossFactor: { readonly photo: number; readonly graphic: number };
  /** Usual bytes of the file ÷ bytes of trials for the same area. */
  readonly sizeFactor: number;
  /** Usual loss of the whole image as delivered ÷ loss of the trial at the same quality. */
  readonly usualRatio: (effort: Effort, imagePixels: number) => number;
  readonly patience: (effort: Effort, imagePixels: number) => Patience;
  encode(pixels: Pixels, options: EncodeOptions): Promise<Uint8Array>;
}

/** What a module that adds a format exports as `format`. */
export interface AddedFormat extends FormatFacts, Target {
  /** Lower-case letters and digits, as in `format=qoi`. */
  readonly name: string;
}
