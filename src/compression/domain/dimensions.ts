/**
 * Sizes of images, in pixels: what they become under a policy, when they are cropped, and when they are
 * turned upright. Limits never enlarge an image. Sizes are upright unless a name says `stored`.
 */

/** Both sides are at least 1 px. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** Counted from the upper left corner, in pixels. */
export interface Position {
  readonly left: number;
  readonly top: number;
}

/** Limits on the size of a result. */
export interface SizeLimits {
  /** Of the longer side, in pixels. */
  readonly maxDimensionPx: number;
  /** The upright size of the result, whatever the other limits. For comparisons with an image of that size. */
  readonly exact?: Dimensions;
  /** Largest width and height of the upright image, in pixels. */
  readonly box?: {
    readonly maxWidth?: number;
    readonly maxHeight?: number;
    /** Needs both sides: the result then has the aspect ratio of the box. */
    readonly crop?: Crop;
  };
}

/**
 * `cover` cuts off the least important parts; `thumb` shows an image with a plain background whole and extends that.
 */
export type Crop = 'cover' | 'thumb';

/**
 * Returns the size of the result: unchanged if it fits; otherwise the side that exceeds its limit most becomes the
 * limit, and the other keeps the aspect ratio. With a crop: the box, or the largest size of its aspect ratio that
 * enlarges nothing.
 */
export function fitWithin(size: Dimensions, { maxDimensionPx, exact, box = {} }: SizeLimits): Dimensions {
  if (exact) return exact;
  if (box.crop)
    return cropWithin(size, box.maxWidth ?? size.width, box.maxHeight ?? size.height, maxDimensionPx);
  const maxWidth = Math.min(maxDimensionPx, box.maxWidth ?? Infinity);
  const maxHeight = Math.min(maxDimensionPx, box.maxHeight ?? Infinity);
  if (size.width <= maxWidth && size.height <= maxHeight) return size;
  const scale = Math.min(maxWidth / size.width, maxHeight / size.height);
  return scaleSize(size, scale);
}

/** Whether an image keeps its size. */
export function fitsWithin(size: Dimensions, limits: SizeLimits): boolean {
  return sameSize(fitWithin(size, limits), size);
}

function cropWithin(size: Dimensions, width: number, height: number, maxDimensionPx: number) {
  const scale = Math.min(
    1,
    size.width / width,
    size.height / height,
    maxDimensionPx / Math.max(width, height),
  );
  return scaleSize({ width, height }, scale);
}

/** Rounds to whole pixels. */
export function scaleSize({ width, height }: Dimensions, scale: number): Dimensions {
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

/**
 * Returns the size of the whole image before it is cropped: the smallest that covers the crop.
 * @example
 * console.log(coveringSize({ width: 4000, height: 3000 }, { width: 100, height: 100 }).width); // 133
 */
export function coveringSize(whole: Dimensions, cropped: Dimensions): Dimensions {
  const scale = Math.max(cropped.width / whole.width, cropped.height / whole.height);
  return {
    width: Math.max(cropped.width, Math.round(whole.width * scale)),
    height: Math.max(cropped.height, Math.round(whole.height * scale)),
  };
}

/** Returns the larger fitWithin of an image with unknown orientation: as stored, or with its sides swapped. */
export function largestFit(stored: Dimensions, limits: SizeLimits): Dimensions {
  const [upright, turned] = [stored, { width: stored.height, height: stored.width }].map((size) =>
    fitWithin(size, limits),
  );
  return upright.width * upright.height >= turned.width * turned.height ? upright : turned;
}

/** EXIF orientation: 1 is upright, 2–4 mirror or rotate by 180°, 5–8 also swap width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Returns the size once the orientation (TIFF 6.0, tag 274) is applied. */
export function uprightSize(stored: Dimensions, orientation: Orientation): Dimensions {
  return orientation >= 5 ? { width: stored.height, height: stored.width } : stored;
}

export function sameSize(a: Dimensions, b: Dimensions): boolean {
  return a.width === b.width && a.height === b.height;
}
