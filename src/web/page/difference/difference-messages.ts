/** What the page and its difference worker send each other. */
import type { WorstSpot } from '../../../compression/domain/score/difference-map';

export interface DifferenceRequest {
  readonly before: Blob;
  readonly after: Blob;
  /** Of the result, to which the original is scaled. */
  readonly width: number;
  readonly height: number;
}

export interface DifferenceResponse {
  /** Undefined when no pixel differs. */
  readonly worst: WorstSpot | undefined;
  /** The differences, amplified. */
  readonly picture: ImageBitmap;
}
