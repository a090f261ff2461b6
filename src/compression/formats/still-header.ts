import type { Dimensions } from '../domain/dimensions';

export interface StillHeader {
  /** As declared; decoders refuse an image of another size. */
  readonly dimensions: Dimensions;
  readonly icc?: Uint8Array | undefined;
  readonly isAnimated: boolean;
  readonly isRotated: boolean;
  readonly isSrgbLike: boolean;
}
