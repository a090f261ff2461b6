/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** The position of a pixel, counted from the upper left corner. */
export interface Position {
  readonly left: number;
  readonly top: number;
}

/**
 * Returns the size to deliver: unchanged if the longer side fits, otherwise scaled so that the longer side is exactly the
 * maximum and the shorter side keeps the aspect ratio (rounded, at least 1 px).
 */
export function fitWithin(size: Dimensions, maxDimensionPx: number): Dimensions {
  const longer = Math.max(size.width, size.height);
  if (longer <= maxDimensionPx) return size;
  const scale = maxDimensionPx / longer;
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}

/** EXIF orientation: 1 is upright, 2–4 mirror or rotate by 180°, 5–8 also swap width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Returns the size after the EXIF orientation (TIFF 6.0, tag 274) is applied. */
export function uprightSize(stored: Dimensions, orientation: Orientation): Dimensions {
  return orientation >= 5 ? { width: stored.height, height: stored.width } : stored;
}

export function sameSize(a: Dimensions, b: Dimensions): boolean {
  return a.width === b.width && a.height === b.height;
}
