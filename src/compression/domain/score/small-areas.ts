/**
 * What changes in small areas, which no mean over the image sees: a palette merges a rare colour into a common one of the same
 * brightness, such as the tongue of a dog into its fur, or draws a small shadow, the shades of an edge or a fine pattern with too few
 * colours, because most of the image is plain.
 */
import type { Dimensions } from '../dimensions';
import { once } from '../once';
import { pixelsPerSeen } from './as-seen';
import { HALF_SEEN } from '../smooth-ground';
import { pixelWords, type Pixels } from '../pixels';

/** Areas are 8×8 px, at steps of 4 px, so that one lies within every spot of 12 px. */
const BLOCK_PX = 4;
const AREA_PX = 2 * BLOCK_PX;
const AREA_PIXELS = AREA_PX ** 2;
const BLOCK_CENTRE = (BLOCK_PX - 1) / 2;
/** The sum of the squared distances of the pixels of an area from its middle column. */
const AREA_SQUARES = (AREA_PIXELS * (AREA_PIXELS - 1)) / 12;
const CHANNELS = 3;
const BLACK = new Uint8Array(CHANNELS);
/** Shares of the channels in a difference, near those of luminance. */
const SHARES = [0.3, 0.6, 0.1] as const;
const [RED_SHARE, GREEN_SHARE, BLUE_SHARE] = SHARES;
/** A difference of this many levels shows on plain ground; texture hides this share of its deviation besides, a slope only instead. */
const SEEN_LEVELS = 3;
const SEEN_SHARE = 0.3;
/**
 * Standard deviation beyond which contrast hides no more: an edge hides little of what changes beside it, such as the soft pixels along
 * an icon. Of 124 real palettes that this and the rule for slopes change, 27 have a Butteraugli above 3 instead of 44; with the 124
 * that stay, they take 1.007 times the bytes.
 */
const MOST_CONTRAST = 25;

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
   * Butteraugli does (rank correlation 0.82, measured before contrast was limited).
   */
  readonly difference: number;
}

/** Returns the pixels of an area in the image whose seen size is given; `right` and `bottom` are exclusive. */
export function areaOf({ x, y }: ChangedArea, { width, height }: Dimensions, seen: Dimensions) {
  const [across, down] = [pixelsPerSeen(width, seen.width), pixelsPerSeen(height, seen.height)];
  return {
    left: Math.floor(x * across),
    top: Math.floor(y * down),
    right: Math.min(width, Math.ceil((x + AREA_PX) * across)),
    bottom: Math.min(height, Math.ceil((y + AREA_PX) * down)),
  };
}

/** Sums over blocks. */
interface Changes {
  /** Of the differences of red, green and blue. */
  readonly shifts: Int32Array;
  /** Of their squares, weighted. */
  readonly squares: Float32Array;
}

/** Measures candidates against one original. RGB or RGBA, opaque. */
export class AreaMeter {
  private readonly columns: number;
  private readonly rows: number;
  /** The original against black. */
  private readonly own: Changes;
  /** Of each area: the squared difference that is not seen there. */
  private readonly hidden = once(() => this.hiddenDifferences());

  constructor(private readonly original: Pixels) {
    const { width, height } = original;
    const [columns, rows] = [width, height].map((side) => Math.floor(side / BLOCK_PX));
    this.columns = columns;
    this.rows = rows;
    this.own = this.changesOf(original);
  }

  private hiddenDifferences() {
    const hidden = new Float32Array(this.columns * this.rows);
    const slopes = this.slopes();
    for (const block of this.areas()) {
      const [red, green, blue] = this.colourOf(block);
      const ofMeans = RED_SHARE * red ** 2 + GREEN_SHARE * green ** 2 + BLUE_SHARE * blue ** 2;
      const variance = areaAt(this.own.squares, block, this.columns, 1) / AREA_PIXELS - ofMeans;
      // A slope alone hides steps of 2.4 px, which differ from it by 0.3 of its deviation.
      const onSlope = SEEN_LEVELS + hiddenBy(variance - slopes[block]);
      hidden[block] = Math.max(onSlope, hiddenBy(variance)) ** 2;
    }
    return hidden;
  }

  /** Returns the areas that change by more than a limit, the worst first. */
  find(candidate: Pixels, { tint, difference }: AreaLimits): ChangedArea[] {
    const { columns } = this;
    const hidden = difference === Infinity ? undefined : this.hidden();
    const { shifts, squares } = this.changesOf(candidate, this.original);
    const found: ChangedArea[] = [];
    const most = (tint * AREA_PIXELS) ** 2;
    for (const block of this.areas()) {
      const square = areaAt(squares, block, columns, 1);
      if (square === 0) continue;
      const share = hidden ? square / AREA_PIXELS / hidden[block] : 0;
      // No arrays: this is called for each area of each candidate.
      const green = areaAt(shifts, block * CHANNELS + 1, columns * CHANNELS, CHANNELS);
      const red = areaAt(shifts, block * CHANNELS, columns * CHANNELS, CHANNELS) - green;
      const blue = areaAt(shifts, block * CHANNELS + 2, columns * CHANNELS, CHANNELS) - green;
      if (red * red + blue * blue <= most && share <= difference ** 2) continue;
      const colour = this.colourOf(block);
      const saturation = Math.max(...colour) - Math.min(...colour);
      const shift = (Math.hypot(red, blue) / AREA_PIXELS) * (HALF_SEEN / (HALF_SEEN + saturation));
      const excess = Math.max(shift / tint, Math.sqrt(share) / difference);
      const [x, y] = [block % columns, Math.floor(block / columns)];
      if (excess > 1) found.push({ x: x * BLOCK_PX, y: y * BLOCK_PX, excess });
    }
    return found.sort((a, b) => b.excess - a.excess);
  }

  /** Returns the variance of each area that a plane explains (least squares). */
  private slopes(): Float32Array {
    const { columns, rows, own } = this;
    const { width, channels, data } = this.original;
    const line = columns * CHANNELS;
    const [across, down] = Array.from({ length: 2 }, () => new Float32Array(rows * line));
    const slopes = new Float32Array(rows * columns);
    for (let y = 0; y < rows * BLOCK_PX; y++) {
      const below = (y % BLOCK_PX) - BLOCK_CENTRE;
      const first = Math.floor(y / BLOCK_PX) * line;
      for (let channel = 0; channel < CHANNELS; channel++) {
        let at = y * width * channels + channel;
        for (let to = first + channel; to < first + line; to += CHANNELS) {
          let [sum, moment] = [0, 0];
          for (let x = -BLOCK_CENTRE; x <= BLOCK_CENTRE; x++, at += channels) {
            sum += data[at];
            moment += data[at] * x;
          }
          across[to] += moment;
          down[to] += sum * below;
        }
      }
    }
    for (const block of this.areas())
      SHARES.forEach((share, channel) => {
        const at = block * CHANNELS + channel;
        const [first, right, below] = [own.shifts[at], own.shifts[at + CHANNELS], own.shifts[at + line]];
        const last = own.shifts[at + line + CHANNELS];
        const half = BLOCK_PX / 2;
        const alongX = areaAt(across, at, line, CHANNELS) + half * (right + last - first - below);
        const alongY = areaAt(down, at, line, CHANNELS) + half * (below + last - first - right);
        slopes[block] += (share * (alongX ** 2 + alongY ** 2)) / AREA_SQUARES / AREA_PIXELS;
      });
    return slopes;
  }

  /** The number of the first block of each area. */
  private *areas() {
    const { columns, rows } = this;
    for (let y = 0; y < rows - 1; y++)
      for (let x = 0, block = y * columns; x < columns - 1; x++, block++) yield block;
  }

  private colourOf(block: number) {
    const { own, columns } = this;
    return [0, 1, 2].map(
      (channel) => areaAt(own.shifts, block * CHANNELS + channel, columns * CHANNELS, CHANNELS) / AREA_PIXELS,
    );
  }

  /** @param from an image of the same size; black if absent */
  private changesOf({ width, channels, data }: Pixels, from?: Pixels): Changes {
    const { columns, rows } = this;
    const shifts = new Int32Array(columns * rows * CHANNELS);
    const squares = new Float32Array(columns * rows);
    const before = from?.data ?? BLACK;
    const step = from?.channels ?? 0;
    const isRgba = channels === 4 && step === 4;
    const words = isRgba ? ([data, before].map(pixelWords) as [Uint32Array, Uint32Array]) : undefined;
    for (let y = 0; y < rows * BLOCK_PX; y++) {
      const first = Math.floor(y / BLOCK_PX) * columns;
      let at = y * width * channels;
      let other = y * width * step;
      for (let block = first; block < first + columns; block++) {
        // Summed in locals: writing into memory for each pixel takes twice as long.
        let [sumOfRed, sumOfGreen, sumOfBlue, sumOfSquares] = [0, 0, 0, 0];
        for (let x = 0; x < BLOCK_PX; x++, at += channels, other += step) {
          // Most pixels of drawings have their colour.
          if (words && words[0][at >> 2] === words[1][at >> 2]) continue;
          const red = data[at] - before[other];
          const green = data[at + 1] - before[other + 1];
          const blue = data[at + 2] - before[other + 2];
          sumOfRed += red;
          sumOfGreen += green;
          sumOfBlue += blue;
          sumOfSquares += RED_SHARE * red * red + GREEN_SHARE * green * green + BLUE_SHARE * blue * blue;
        }
        shifts[block * CHANNELS] += sumOfRed;
        shifts[block * CHANNELS + 1] += sumOfGreen;
        shifts[block * CHANNELS + 2] += sumOfBlue;
        squares[block] += sumOfSquares;
      }
    }
    return { shifts, squares };
  }
}

/** Returns the difference that contrast of this variance hides. */
function hiddenBy(variance: number) {
  return SEEN_SHARE * Math.min(MOST_CONTRAST, Math.sqrt(Math.max(0, variance)));
}

/** Returns the sum over four blocks. @param line values in a row of blocks @param step values in a block */
function areaAt(values: Int32Array | Float32Array, at: number, line: number, step: number) {
  return values[at] + values[at + step] + values[at + line] + values[at + line + step];
}
