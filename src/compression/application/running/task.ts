/** What a worker can be asked to do, and what each task returns. */
import type { ResultFormatName } from '../../../contract/formats';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { ComparedImage, CompressedImage } from '../../domain/compression-report';
import type { Dimensions } from '../../domain/dimensions';

interface UnderPolicy {
  /** The upload; for a comparison, the original. */
  readonly image: Uint8Array;
  readonly policy: CompressionPolicy;
}

export interface CompressTask extends UnderPolicy {
  readonly kind: 'compress';
  /** The format of an upload that a package reads. The runner sets it. */
  readonly added?: ResultFormatName;
}

/** Its policy is a comparisonPolicy. */
export interface CompareTask extends UnderPolicy {
  readonly kind: 'compare';
  readonly compared: Uint8Array;
  readonly wantsMap: boolean;
}

/** Asks for the upright dimensions of an upload that a package reads, without decoding it. */
export interface MeasureTask {
  readonly kind: 'measure';
  readonly image: Uint8Array;
}

export type ImageTask = CompressTask | CompareTask;
export type Task = ImageTask | MeasureTask;

interface Results {
  readonly compress: CompressedImage;
  readonly compare: ComparedImage;
  readonly measure: Dimensions;
}

export type ResultOf<T extends Task> = Results[T['kind']];
