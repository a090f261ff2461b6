import type { Dimensions } from '../domain/dimensions';

export interface StillHeader {
  /** As declared; decoders refuse an image of another size. */
  readonly dimensions: Dimensions;
  readonly icc?: Uint8Array | undefined;
  readonly isAnimated: boolean;
  /** Whether viewers rotate the image by its EXIF orientation. */
  readonly isRotated: boolean;
  /** Whether the samples are those of sRGB or of the profile. */
  readonly isSrgbLike: boolean;
}
