/**
 * How files of a format are written and read, and what the search must know of its encoder. A format of this repository and one of a package
 * have the same type: see docs/adding-a-codec.md.
 */
import type { ResultFormatName } from '../../contract/formats';
import type { RemovedData } from '../../contract/report-words';
import type { Effort } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';
import type { ChromaSubsampling, Pixels, Raster } from '../domain/pixels';
import type { Patience } from '../domain/search/quality-search';
import type { TileOptions } from '../domain/search/mosaic';
import type { CurveModel, QualityRange } from '../domain/search/trial-curve';
import type { BlockName, EmbeddedBlocks, UploadBlocks } from '../formats/embedded-blocks';

/** A format as the recipe writes and reads it: its coding, and what it is called. */
export interface ResultFormat extends FormatCoding {
  readonly name: ResultFormatName;
  readonly label: string;
}

/** How files of a format are written and read; the same for a format of this repository and one of a package. */
export interface FormatCoding {
  /** Largest width and height, in pixels. */
  readonly maxSidePx: number;
  readonly maxPixels?: number | undefined;
  readonly hasAlpha: boolean;
  /** The blocks of metadata that it can hold, none if absent; the report names the dropped ones. */
  readonly holds?: readonly BlockName[];
  /** Longest EXIF and XMP block that it can hold; any length if absent. */
  readonly maxBlockBytes?: number | undefined;
  /** Writes the pixels without loss; colours under an alpha of 0 may change. Absent if the format has no lossless coding. */
  readonly encodeLosslessly?: FormatCode['encodeLosslessly'];
  /** How many bits of a sample that coding may lose in uneven places, the most first; it loses none if absent. */
  readonly lostBits?: readonly number[];
  /** Processor time of that, in milliseconds a megapixel; absent if it is short. If it cannot end in time, less effort is made. */
  readonly losslessMs?: Readonly<Record<Effort, number>>;
  /**
   * Weight of the loss of a lossy file at a density, so that a score means the same SSIMULACRA2 as it does for a JPEG; 1 if absent.
   */
  readonly lossWeight?: (density: number) => number;
  /** Lossy codings, of which the smaller one is used; empty if there is none. */
  readonly lossy: readonly LossyCoding[];
  /** Formats that make larger files of every photo. If this one is accepted too, they are tried only if it fails. */
  readonly smallerForPhotosThan?: readonly ResultFormatName[];
  /** Decodes a file of this format to samples of 8 bits; `original` are the encoded pixels. */
  readonly decode: (file: Uint8Array, original: Pixels) => Promise<Pixels>;
  /** Decodes a file by any encoder, for a comparison with `original`, which may be larger; undefined if it cannot. */
  read?(file: Uint8Array, original: Pixels): Promise<DecodedFile | undefined>;
  readonly releaseMemory?: ((maxBytes: number) => boolean) | undefined;
}

export interface LosslessOptions {
  /** Of the format's `lostBits`, or 0. */
  readonly lostBits?: number;
  readonly effort: Effort;
  readonly metadata: EmbeddedBlocks;
}

export interface ImageFacts {
  readonly effort: Effort;
  /** Number of pixels of the whole image, even if a part of it is encoded. */
  readonly pixelCount: number;
  readonly isPhoto: boolean;
  /** Pixels per CSS pixel at which it is judged, at least 1. */
  readonly density: number;
  readonly targetScore: number;
  /** Bits per pixel of the first trial, whose quality is near the file's; absent before, and where files are tried. */
  readonly trialBits?: number;
  /** Whether lightness would change visibly in 4:2:0 without sharp chroma; absent if unknown. The first call reads the pixels. */
  readonly needsSharpChroma?: () => boolean;
}

export interface EncodeOptions {
  readonly quality: number;
  /** `trial` encodes guide the search and may be made with less effort. */
  readonly purpose: 'trial' | 'delivery';
  readonly image: ImageFacts;
  readonly metadata: EmbeddedBlocks;
}

export interface TrialPlan {
  /**
   * `whole`: all of it, with less effort. `file`: as it may be delivered, if less effort saves little or predicts
   * badly.
   */
  readonly of: 'mosaic' | 'whole' | 'file';
  /** Step of the first trial at the target `high` and the density of the image. */
  readonly firstStep: number;
  /** Typical loss of the file ÷ loss of the trial at the same quality. */
  readonly lossRatio: number;
  /** Typical bytes of the file ÷ bytes of the trial for the same area. */
  readonly sizeRatio: number;
}

export interface LossyCoding {
  readonly chroma: ChromaSubsampling;
  /** Over the steps of the search, which are qualities unless `stepQuality` says otherwise. */
  readonly curve: (image: Pick<ImageFacts, 'density' | 'pixelCount'>) => CurveModel;
  readonly range: (density: number) => QualityRange;
  /** Returns the quality of a step. Absent if every quality writes another file. */
  readonly stepQuality?: (step: number) => number;
  /** Estimates the loss slope from a trial's bits per pixel; absent if trials do not predict it. */
  readonly lossSlope?: (bitsPerPixel: number, step: number, image: ImageFacts) => number | undefined;
  readonly tiles: TileOptions;
  readonly trials: (image: ImageFacts) => TrialPlan;
  readonly patience: (image: ImageFacts) => Patience;
  /** Expected processor time of a file, in milliseconds; absent if it is short. If it cannot end in time, less effort is made. */
  readonly encodeMs?: (image: ImageFacts) => number;
  encode(pixels: Pixels, options: EncodeOptions): Promise<Uint8Array>;
}

/** The pixels of a result as stored. `icc` is the profile of their colours, sRGB if absent. */
export type DecodedFile = Pixels & Pick<EmbeddedBlocks, 'icc'>;

/** The shown size of an upload: upright, without what is cut off. */
export type UploadSize = Dimensions & { readonly isAnimated?: boolean | undefined };

/** The pixels of an upload. */
export interface DecodedUpload extends Raster, UploadBlocks {
  /** Whether its coding may have lost something: its noise is no drawing. */
  readonly isLossy?: boolean;
  /** What the pixels and blocks lack of the upload. */
  readonly removed?: readonly RemovedData[];
}

/** Reads uploads that become pixels before anything else. Its methods throw an ImageRefused `undecodable_image`. */
export interface UploadReader {
  readonly name: ResultFormatName;
  dimensions(file: Uint8Array): Promise<UploadSize>;
  /** Never called for an animation. */
  decode(file: Uint8Array, dimensions: Dimensions): Promise<DecodedUpload>;
}

/** The export `format` of a package, whose manifest has the facts. See docs/adding-a-codec.md. */
export interface FormatCode {
  encode?(
    pixels: Pixels,
    options: EncodeOptions & { readonly chroma: ChromaSubsampling },
  ): Promise<Uint8Array>;
  encodeLosslessly?(pixels: Pixels, options: LosslessOptions): Promise<Uint8Array>;
  /** Decodes to grey, RGB or RGBA. `original` is the size of the image, or of a larger one that it is compared with. */
  decode(file: Uint8Array, original: Dimensions): Promise<DecodedUpload>;
  /** Reads the size in the header of an upload. Present if the manifest says `uploads`. */
  dimensions?(file: Uint8Array): UploadSize | Promise<UploadSize>;
  releaseMemory?(maxBytes: number): boolean;
}
