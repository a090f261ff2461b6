/**
 * How a large image is cropped: the part to keep is found on a miniature and cut from the source before it is
 * scaled. Scaling a very wide image to the height of its crop first would take gigabytes. Positions are in
 * pixels of the upright image.
 */
import { coveringSize, scaleSize, type Dimensions, type Orientation, type Position } from './dimensions';

/** Up to this size the whole image is scaled, then cropped. It takes 16 bytes a pixel: 270 MB. */
export const MAX_WHOLE_PIXELS = 2 ** 24;
const MINIATURE_PIXELS = 2 ** 20;

export type Region = Position & Dimensions;

export interface CropPlan {
  /** The size to which the whole image is scaled to find the part. */
  readonly miniature: Dimensions;
  /** The size of the part in the miniature. */
  readonly part: Dimensions;
  /** Returns the part of the source, upright, for its place in the miniature. */
  readonly regionAt: (place: Position) => Region;
}

/** Returns undefined for an image that may be scaled as a whole. @param upright size of the source */
export function planCrop(upright: Dimensions, size: Dimensions): CropPlan | undefined {
  const whole = coveringSize(upright, size);
  const pixels = whole.width * whole.height;
  if (pixels <= MAX_WHOLE_PIXELS) return undefined;
  const [miniature, shrunk] = [whole, size].map((one) =>
    scaleSize(one, Math.sqrt(MINIATURE_PIXELS / pixels)),
  );
  const part = {
    width: Math.min(shrunk.width, miniature.width),
    height: Math.min(shrunk.height, miniature.height),
  };
  const regionAt = ({ left, top }: Position): Region => {
    const across = span(left / miniature.width, size.width / whole.width, upright.width);
    const down = span(top / miniature.height, size.height / whole.height, upright.height);
    return { left: across.start, top: down.start, width: across.length, height: down.length };
  };
  return { miniature, part, regionAt };
}

/** Returns whole pixels within a side, from a start and a length as shares of it. */
function span(start: number, length: number, side: number) {
  const pixels = Math.min(side, Math.max(1, Math.round(length * side)));
  return { start: Math.min(side - pixels, Math.round(start * side)), length: pixels };
}

/** Returns the part of the stored image that becomes this region when its EXIF orientation is applied. */
export function storedRegion(region: Region, upright: Dimensions, orientation: Orientation): Region {
  const { left, top, width, height } = region;
  const right = upright.width - left - width;
  const bottom = upright.height - top - height;
  const isTransposed = orientation >= 5;
  const [x, y] = {
    1: [left, top],
    2: [right, top],
    3: [right, bottom],
    4: [left, bottom],
    5: [top, left],
    6: [top, right],
    7: [bottom, right],
    8: [bottom, left],
  }[orientation];
  return { left: x, top: y, width: isTransposed ? height : width, height: isTransposed ? width : height };
}

/** Samples of a plain background may differ by this share of the range: JPEG noise, a soft shadow. */
const TOLERANCE = 0.04;

/**
 * Returns the colour along all four edges of RGBA pixels, with its alpha; undefined if it varies. Where all
 * edges are transparent, their colours do not matter. @param maxValue the largest sample: 255, or 65535 for
 * 16 bits
 */
export function plainBorder(
  { width, height, data }: Dimensions & { readonly data: ArrayLike<number> },
  maxValue: number,
): readonly [number, number, number, number] | undefined {
  const at = (i: number) => [data[i], data[i + 1], data[i + 2], data[i + 3]] as const;
  const corner = at(0);
  const mayDiffer = TOLERANCE * maxValue;
  const isPlain = (i: number) => {
    const pixel = at(i);
    if (corner[3] === 0) return pixel[3] === 0;
    return pixel.every((sample, c) => Math.abs(sample - corner[c]) <= mayDiffer);
  };
  for (let x = 0; x < width; x++) {
    if (!isPlain(x * 4) || !isPlain(((height - 1) * width + x) * 4)) return undefined;
  }
  for (let y = 0; y < height; y++) {
    if (!isPlain(y * width * 4) || !isPlain((y * width + width - 1) * 4)) return undefined;
  }
  return corner[3] === 0 ? [0, 0, 0, 0] : corner;
}
