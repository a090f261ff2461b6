/** The frames of an animation. An animation is never scaled, so its cost does not depend on the dimensions of the result. */

export interface FrameSizes {
  /** Bytes of the stored rows of all frames. */
  readonly bytes: number;
  /** Bytes of the rows of the largest frame. */
  readonly largestBytes: number;
}

/** Larger animations are returned unchanged: 64 MiB take as long as the largest still images. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Animations above this get the effort `fast`, like still images of 8.5 megapixels. */
const MAX_BALANCED_BYTES = 24 * 1024 * 1024;

/** Returns whether the frames are compressed at all. */
export function isAffordable({ bytes }: FrameSizes): boolean {
  return bytes <= MAX_BYTES;
}

export function isLongAnimation({ bytes }: FrameSizes): boolean {
  return bytes > MAX_BALANCED_BYTES;
}
