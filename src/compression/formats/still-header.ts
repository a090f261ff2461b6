/** The header of an image in a format that is no upload of this service. */
import type { Dimensions } from '../domain/dimensions';

export interface StillHeader {
  /** As declared; decoders refuse an image of another size. */
  readonly dimensions: Dimensions;
  readonly icc?: Uint8Array | undefined;
  readonly isAnimated: boolean;
  readonly isRotated: boolean;
  readonly isSrgbLike: boolean;
}
