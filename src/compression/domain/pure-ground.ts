/**
 * The pure white or black ground of a product photo or a drawing. Shops require exactly 255, and look at the
 * corners, but the rounded mean of a block can be 254 all over the ground, which no score notices.
 */
import type { Pixels } from './pixels';

/** The largest block whose mean the encoders round: a macroblock of WebP. */
const BLOCK_PX = 16;
/** A smaller share of the blocks is no ground. */
const LEAST_SHARE = 0.05;
/** Share of the blocks that may change: errors of an edge reach into the blocks beside it. */
const MOST_CHANGED = 0.02;
const SHADES = [255, 0] as const;

interface Ground {
  readonly shade: (typeof SHADES)[number];
  /** The middles of the blocks. */
  readonly middles: readonly number[];
  readonly corners: readonly number[];
}

/** Returns the grounds of an image, at most one of each shade. Positions are numbers of pixels, row by row. */
export function findPureGrounds(image: Pixels): readonly Ground[] {
  const { width, height } = image;
  const [across, down] = [Math.floor(width / BLOCK_PX), Math.floor(height / BLOCK_PX)];
  const edges = [0, width - 1, width * (height - 1), width * height - 1];
  return SHADES.map((shade) => {
    const middles: number[] = [];
    for (let block = 0; block < across * down; block++) {
      const corner = (Math.floor(block / across) * width + (block % across)) * BLOCK_PX;
      if (isPureBlock(image, corner, shade)) middles.push(corner + (BLOCK_PX / 2) * (width + 1));
    }
    return { shade, middles, corners: edges.filter((at) => isPure(image, at, shade)) };
  }).filter(({ middles }) => middles.length > across * down * LEAST_SHARE);
}

/** Whether the grounds of a decoded result are as pure as in the image. @param result of the same size */
export function keepsPureGrounds(grounds: readonly Ground[], result: Pixels): boolean {
  return grounds.every(({ shade, middles, corners }) => {
    const changed = middles.filter((at) => !isPure(result, at, shade)).length;
    return changed <= middles.length * MOST_CHANGED && corners.every((at) => isPure(result, at, shade));
  });
}

function isPureBlock(image: Pixels, corner: number, shade: number) {
  for (let row = 0; row < BLOCK_PX; row++) {
    for (let at = corner + row * image.width, x = 0; x < BLOCK_PX; x++)
      if (!isPure(image, at + x, shade)) return false;
  }
  return true;
}

function isPure({ channels, data }: Pixels, at: number, shade: number) {
  const first = at * channels;
  const colours = channels < 3 ? 1 : 3;
  if (data[first] !== shade || (colours < channels && data[first + colours] !== 255)) return false;
  return colours === 1 || (data[first + 1] === shade && data[first + 2] === shade);
}
