/**
 * What changes in small areas, which no mean over the image sees: a palette merges a rare colour into a common one of the same
 * brightness, such as the tongue of a dog into its fur, or draws a small shadow, the shades of an edge or a fine pattern with too few
 * colours, because most of the image is plain.
 */
import { HALF_SEEN } from '../smooth-ground';
import type { Pixels } from '../pixels';

/** Areas are 8×8 px, at steps of 4 px, so that one lies within every spot of 12 px. */
const BLOCK_PX = 4;
export const AREA_PX = 2 * BLOCK_PX;
const AREA_PIXELS = AREA_PX ** 2;
const CHANNELS = 3;
/** Shares of the channels in a difference, near those of luminance. */
const [RED_SHARE, GREEN_SHARE, BLUE_SHARE] = [0.3, 0.6, 0.1];
/** A difference of this many levels shows on plain ground, and of this share of the contrast of an area besides. */
const SEEN_LEVELS = 3;
const SEEN_SHARE = 0.3;

export interface ChangedArea {
  /** The first pixel of the area. */
  readonly x: number;
  readonly y: number;
  /** Its larger change ÷ the limit for it. */
  readonly excess: number;
}

export interface AreaLimits {
  /** Levels of 255 by which red and blue minus green may shift together, less in saturated colours as the eye sees them (CIE94). */
  readonly tint: number;
  /**
   * Root mean square of the differences of pixels ÷ what the contrast of the area hides. It ranks 83 palette images almost as
   * Butteraugli does (rank correlation 0.82).
   */
  readonly difference: number;
}

interface Blocks {
  readonly columns: number;
  readonly rows: number;
  /** Of red, green and blue. */
  readonly sums: Uint16Array;
  /** Of the weighted squares of the differences from another image; of the samples without one. */
  readonly squares: Float32Array;
}

/** Measures candidates against one original. RGB or RGBA, opaque. */
export class AreaMeter {
  private readonly blocks: Blocks;
  /** Of each area: the squared difference that its contrast hides. */
  private readonly hidden: Float32Array;

  constructor(private readonly original: Pixels) {
    this.blocks = readBlocks(original);
    const { columns, rows, sums, squares } = this.blocks;
    const line = columns * CHANNELS;
    this.hidden = new Float32Array(columns * rows);
    for (let y = 0; y < rows - 1; y++)
      for (let x = 0, block = y * columns; x < columns - 1; x++, block++) {
        const [red, green, blue] = [0, 1, 2].map((channel) =>
          areaAt(sums, block * CHANNELS + channel, line, CHANNELS),
        );
        const ofMeans = RED_SHARE * red ** 2 + GREEN_SHARE * green ** 2 + BLUE_SHARE * blue ** 2;
        const variance = areaAt(squares, block, columns, 1) / AREA_PIXELS - ofMeans / AREA_PIXELS ** 2;
        this.hidden[block] = (SEEN_LEVELS + SEEN_SHARE * Math.sqrt(Math.max(0, variance))) ** 2;
      }
  }

  /** Returns the areas that change by more than a limit, the worst first. */
  find(candidate: Pixels, { tint, difference }: AreaLimits): ChangedArea[] {
    const { columns, rows, sums } = this.blocks;
    const other = readBlocks(candidate, this.original);
    const found: ChangedArea[] = [];
    const line = columns * CHANNELS;
    const most = (tint * AREA_PIXELS) ** 2;
    for (let y = 0; y < rows - 1; y++)
      for (let x = 0, block = y * columns; x < columns - 1; x++, block++) {
        const share = areaAt(other.squares, block, columns, 1) / AREA_PIXELS / this.hidden[block];
        // No arrays: this is called for each area of each candidate.
        const at = block * CHANNELS;
        const green = areaAt(other.sums, at + 1, line, CHANNELS) - areaAt(sums, at + 1, line, CHANNELS);
        const red = areaAt(other.sums, at, line, CHANNELS) - areaAt(sums, at, line, CHANNELS) - green;
        const blue =
          areaAt(other.sums, at + 2, line, CHANNELS) - areaAt(sums, at + 2, line, CHANNELS) - green;
        const mayBeTinted = red * red + blue * blue > most;
        if (!mayBeTinted && share <= difference ** 2) continue;
        const colour = [0, 1, 2].map((channel) => areaAt(sums, at + channel, line, CHANNELS) / AREA_PIXELS);
        const saturation = Math.max(...colour) - Math.min(...colour);
        const shift = (Math.hypot(red, blue) / AREA_PIXELS) * (HALF_SEEN / (HALF_SEEN + saturation));
        const excess = Math.max(shift / tint, Math.sqrt(share) / difference);
        if (excess > 1) found.push({ x: x * BLOCK_PX, y: y * BLOCK_PX, excess });
      }
    return found.sort((a, b) => b.excess - a.excess);
  }
}

/** Returns the sum over four blocks. @param line values in a row of blocks @param step values in a block */
function areaAt(values: Uint16Array | Float32Array, at: number, line: number, step: number) {
  return values[at] + values[at + step] + values[at + line] + values[at + line + step];
}

function readBlocks({ width, height, channels, data }: Pixels, from?: Pixels): Blocks {
  const [columns, rows] = [Math.floor(width / BLOCK_PX), Math.floor(height / BLOCK_PX)];
  const sums = new Uint16Array(columns * rows * CHANNELS);
  const squares = new Float32Array(columns * rows);
  const others = from?.data;
  const step = from?.channels ?? 0;
  for (let y = 0; y < rows * BLOCK_PX; y++) {
    let at = y * width * channels;
    let other = y * width * step;
    let to = Math.floor(y / BLOCK_PX) * columns;
    for (let x = 0; x < columns; x++, to++) {
      let [red, green, blue, square] = [0, 0, 0, 0];
      for (const end = at + BLOCK_PX * channels; at < end; at += channels, other += step) {
        red += data[at];
        green += data[at + 1];
        blue += data[at + 2];
        const ofRed = data[at] - (others ? others[other] : 0);
        const ofGreen = data[at + 1] - (others ? others[other + 1] : 0);
        const ofBlue = data[at + 2] - (others ? others[other + 2] : 0);
        square += RED_SHARE * ofRed * ofRed + GREEN_SHARE * ofGreen * ofGreen + BLUE_SHARE * ofBlue * ofBlue;
      }
      sums[to * CHANNELS] += red;
      sums[to * CHANNELS + 1] += green;
      sums[to * CHANNELS + 2] += blue;
      squares[to] += square;
    }
  }
  return { columns, rows, sums, squares };
}
