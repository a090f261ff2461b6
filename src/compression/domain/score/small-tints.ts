/**
 * How far small areas take another tint: a palette merges a rare colour into a common one of the same brightness, such as the tongue of a
 * dog into its fur. No mean over the image sees that, and the score has blue at an eighth of the size only.
 */
import { HALF_SEEN } from '../smooth-ground';
import type { Pixels } from '../pixels';

/** Areas are 8×8 px, at steps of 4 px, so that one lies within every spot of 12 px. */
const BLOCK_PX = 4;
export const TINT_AREA_PX = 2 * BLOCK_PX;
/** Sums of red, green and blue of each block. */
const CHANNELS = 3;
const AREA_PIXELS = TINT_AREA_PX ** 2;

export interface SmallTint {
  /** The first pixel of the area. */
  readonly x: number;
  readonly y: number;
  /** Levels of 255 by which red and blue minus green shift together, less in saturated colours as the eye sees them (CIE94). */
  readonly shift: number;
}

interface Blocks {
  readonly columns: number;
  readonly rows: number;
  readonly sums: Uint16Array;
}

/** Measures candidates against one original. RGB or RGBA, opaque. */
export class TintMeter {
  private readonly original: Blocks;

  constructor(original: Pixels) {
    this.original = sumBlocks(original);
  }

  /** Returns the areas whose tint shifts by more than `limit`, the worst first. */
  find(candidate: Pixels, limit: number): SmallTint[] {
    const { columns, rows, sums } = this.original;
    const other = sumBlocks(candidate).sums;
    const found: SmallTint[] = [];
    const line = columns * CHANNELS;
    const most = (limit * AREA_PIXELS) ** 2;
    for (let y = 0; y < rows - 1; y++)
      for (let x = 0, at = y * line; x < columns - 1; x++, at += CHANNELS) {
        // No arrays: this is called for each area of each candidate.
        const green = areaAt(other, at + 1, line) - areaAt(sums, at + 1, line);
        const red = areaAt(other, at, line) - areaAt(sums, at, line) - green;
        const blue = areaAt(other, at + 2, line) - areaAt(sums, at + 2, line) - green;
        if (red * red + blue * blue <= most) continue;
        const colour = [0, 1, 2].map((channel) => areaAt(sums, at + channel, line) / AREA_PIXELS);
        const saturation = Math.max(...colour) - Math.min(...colour);
        const shift = (Math.hypot(red, blue) / AREA_PIXELS) * (HALF_SEEN / (HALF_SEEN + saturation));
        if (shift > limit) found.push({ x: x * BLOCK_PX, y: y * BLOCK_PX, shift });
      }
    return found.sort((a, b) => b.shift - a.shift);
  }
}

/** Returns the sum of one channel over four blocks. */
function areaAt(sums: Uint16Array, at: number, line: number) {
  return sums[at] + sums[at + CHANNELS] + sums[at + line] + sums[at + line + CHANNELS];
}

function sumBlocks({ width, height, channels, data }: Pixels): Blocks {
  const [columns, rows] = [Math.floor(width / BLOCK_PX), Math.floor(height / BLOCK_PX)];
  const sums = new Uint16Array(columns * rows * CHANNELS);
  for (let y = 0; y < rows * BLOCK_PX; y++) {
    let at = y * width * channels;
    let to = Math.floor(y / BLOCK_PX) * columns * CHANNELS;
    for (let x = 0; x < columns; x++, to += CHANNELS) {
      let [red, green, blue] = [0, 0, 0];
      for (const end = at + BLOCK_PX * channels; at < end; at += channels) {
        red += data[at];
        green += data[at + 1];
        blue += data[at + 2];
      }
      sums[to] += red;
      sums[to + 1] += green;
      sums[to + 2] += blue;
    }
  }
  return { columns, rows, sums };
}
