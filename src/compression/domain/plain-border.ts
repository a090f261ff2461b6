/** Recognises images of a single object on a plain background, such as product photos and logos. */
import type { Dimensions } from './dimensions';

/** Samples of a plain background may differ by this share of the range: JPEG noise, a soft shadow. */
const TOLERANCE = 0.04;

/**
 * Returns the colour along all four edges of an RGBA image, with its alpha; undefined if it varies. If all edges are
 * transparent, their colours do not matter.
 * @param maxValue largest value of a sample
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
