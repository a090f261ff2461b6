import type { Report } from '../../contract/report';
import type { RemovedData, SkipReason } from '../../contract/report-words';
import type { ResultFormatName } from '../../contract/formats';
import type { Dimensions } from '../domain/dimensions';

export interface Candidate {
  readonly bytes: Uint8Array;
  /** The format of the upload if absent. */
  readonly format?: ResultFormatName;
  readonly quality?: number;
  readonly score: number;
  /** For a PNG, the largest difference of any channel of any pixel, 0..255; absent with a palette. */
  readonly maxError?: number;
  readonly dimensions: Dimensions;
  readonly removed?: readonly RemovedData[];
}

export interface Unchanged {
  readonly skipReason: SkipReason;
  /** The bytes of the upload, or a copy without private metadata. */
  readonly bytes: Uint8Array;
  readonly removed?: readonly RemovedData[];
}

export type Outcome = (Unchanged | Candidate) & Pick<Report, 'budget' | 'partial'>;
