/** An upload format, as the recipes see it. Each format has a file in this folder and a row in uploads.ts. */
import type { CompressionReport } from '../../domain/compression-report';
import type { Pixels } from '../../domain/pixels';
import type { Source } from '../../formats/image-header';
import type { CodecEngine } from '../codecs.port';
import type { Candidate, Outcome, Unchanged } from '../outcome';
import type { Work } from '../work';
import type { RemovedData } from '../../../contract/report-words';
import type { Dimensions } from '../../domain/dimensions';
import type { EmbeddedBlocks } from '../../formats/embedded-blocks';
import type { Judge } from '../results/judge';

export interface Upload<S extends Source = Source> {
  /** Returns the recipe of an image whose size and format must not change; undefined for other images. Absent if all may change. */
  fixed?(work: Work<S>): Promise<Upload<S>['compress'] | undefined>;
  compress(work: Work<S>): Promise<Outcome>;
  /** Whether conversion would lose data besides the image, or change the displayed colours. */
  losesByConversion(source: S): boolean;
  open(work: Work<S>): Promise<OpenedUpload>;
  /** Returns the image that results are compared with. The image is decoded when its pixels are asked for. */
  view(work: Work<S>): View;
  describeUnchanged(source: S, outcome: Unchanged, engine: CodecEngine): Partial<Candidate>;
  /** Returns the facts that the report adds about a result in any format. Absent if there are none. */
  describeResult?(work: Work<S>, result: Result): Promise<Partial<Pick<CompressionReport, Added>>>;
}

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

type Added = 'removed' | 'jpegEstimate';
export type Result = Pick<Candidate, 'bytes' | 'dimensions'> & Required<Pick<Candidate, 'format'>>;

export interface OpenedUpload {
  readonly image: Convertible;
  /** Compresses in the format of the upload, without the data after the image. */
  own(): Promise<Outcome>;
  /** Actual or predicted size of the result in the format of the upload. */
  ownBytes(): Promise<number>;
}

export interface ReducedPixels {
  readonly pixels: Pixels;
  readonly score: number;
  /** Largest difference of any channel; absent for a palette. */
  readonly maxError?: number;
}

/** An upload for another format: upright, scaled, with the metadata to keep and a judge of its loss. */
export interface Convertible {
  /** Grey, RGB or RGBA of 8 bits; no channel is redundant. */
  readonly pixels: Pixels;
  readonly dimensions: Dimensions;
  readonly isPhoto: boolean;
  readonly density: number;
  readonly metadata: EmbeddedBlocks;
  /** Whether `pixels` has other samples than the upload, because they show its colours elsewhere. */
  readonly isConverted: boolean;
  readonly removed: readonly RemovedData[];
  /** The pixels as the PNG recipe reduced them without a visible difference; undefined if it did not. */
  readonly reduced?: () => Promise<ReducedPixels | undefined>;
  readonly judge: () => Judge;
}
