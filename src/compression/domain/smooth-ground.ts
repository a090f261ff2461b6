/**
 * What a mean over the image forgives, because it is rare, and the eye does not, because its ground is quiet: stars that
 * fade into a night sky, steps in an even gradient, and a ground that takes another tint, which is no loss of structure. Most photos
 * have no such ground: noise hides all three.
 */
import { luma, type Pixels } from './pixels';
import { BLOCK_PX, findSmoothAreas } from './smooth-areas';

/** The largest changes that smooth areas allow, of 255: of an even ground, and of one around a detail. */
const EVEN_CAP = 1;
const QUIET_CAP = 2;
/** Minimum number of quiet blocks among the block of a detail and its eight neighbours. A detail may reach into one neighbour; an edge crosses two. */
const LEAST_QUIET = 7;
/** Sum of the squared differences of 2×2 px from the mean luma of the block: a spot of 3×3 px, 11 of 255 brighter than its ground. */
const LEAST_ENERGY = 140;
/** Fewer details say nothing about an image, nor do those of one that has less quiet ground: night skies have more. */
const FEWEST_DETAILS = 8;
const LEAST_GROUND = 0.6;

/** Root mean square of the contrast that details may lose: see measure(). */
const MAX_FADING = 0.15;
/** Levels by which steps of green, or of red or blue minus green, may grow: photos have up to 3, visible bands in pale blue had 7. */
const MAX_STEP = 3;
/** Contours shorter than half a side of the even ground are none. */
const SHORT = 0.5;

/**
 * Root mean square of the shifts of even blocks in green, or in red or blue minus green: photos have up to 1.1, pale backdrops whose
 * tint changed had 2 to 4.
 */
const MAX_TINT = 1.25;
/** The eye sees less of a shift in saturated colours, as CIE94 has it: half of it where channels differ by this much. */
export const HALF_SEEN = 56;
/** More would mislead the search: the tint falls in jumps, where a quantizer step happens to match the ground. */
const MOST_TINT = 1.3;
/** A tint of fewer even blocks goes unnoticed. */
const LEAST_EVEN = 32;

/** The smooth ground of an image, found once. */
export class SmoothGround {
  /** Numbers of the first pixels of blocks of 8×8 px, row by row. */
  private readonly details: number[] = [];
  /** Of blocks that are even, like all around them. */
  private readonly even: number[] = [];

  /** @param source opaque @param density above 1, details and steps are too small to be seen */
  constructor(
    private readonly source: Pixels,
    private readonly density = 1,
  ) {
    const { width, height } = source;
    const { caps, blocksPerRow } = findSmoothAreas(source);
    const isQuiet = caps.filter((cap) => cap <= QUIET_CAP).length >= LEAST_GROUND * caps.length;
    for (let y = 1; y < Math.floor(height / BLOCK_PX) - 1; y++)
      for (let x = 1; x < Math.floor(width / BLOCK_PX) - 1; x++) {
        const [block, corner] = [y * blocksPerRow + x, (y * width + x) * BLOCK_PX];
        let [even, quiet] = [0, 0];
        for (let row = block - blocksPerRow; row <= block + blocksPerRow; row += blocksPerRow)
          for (let at = row - 1; at <= row + 1; at++) {
            if (caps[at] <= EVEN_CAP) even++;
            if (caps[at] <= QUIET_CAP) quiet++;
          }
        if (even === 9) this.even.push(corner);
        else if (isQuiet && quiet >= LEAST_QUIET && this.compareBlock(corner, source).energy >= LEAST_ENERGY)
          this.details.push(corner);
      }
    if (this.details.length < FEWEST_DETAILS) this.details = [];
  }

  /**
   * Returns how far a result of the same size is from looking the same: at most 1 if it does. Photos that look the same lose up to 0.13 of
   * the contrast of their details, a night sky whose stars were smears lost 0.4.
   */
  measure(result: Pixels): number {
    const tint = Math.min(MOST_TINT, this.tint(result) / MAX_TINT);
    if (this.density > 1) return tint;
    return Math.max(tint, this.fading(result) / MAX_FADING, this.step(result) / MAX_STEP);
  }

  private tint(result: Pixels) {
    if (this.even.length < LEAST_EVEN) return 0;
    const seen = this.even.map((corner) => HALF_SEEN / (HALF_SEEN + saturationAt(this.source, corner)));
    const squares = [0, 1, 2].map((colour) =>
      this.even.reduce((sum, corner, i) => sum + (seen[i] * this.shift(corner, result, colour)) ** 2, 0),
    );
    return Math.sqrt(Math.max(...squares) / this.even.length);
  }

  /** Returns the difference of the means of every second pixel of a block. */
  private shift(corner: number, result: Pixels, colour: number) {
    const { source } = this;
    let sum = 0;
    for (let row = 0; row < BLOCK_PX; row += 2)
      for (let at = corner + row * source.width, x = 0; x < BLOCK_PX; x += 2, at += 2)
        sum += valueAt(result, at, colour) - valueAt(source, at, colour);
    return sum / (BLOCK_PX / 2) ** 2;
  }

  private fading(result: Pixels) {
    const lost = this.details.map((corner) => {
      const { energy, common } = this.compareBlock(corner, result);
      return Math.max(0, 1 - common / energy) ** 2;
    });
    return Math.sqrt(lost.reduce((sum, value) => sum + value, 0) / (lost.length || 1));
  }

  /** Returns the energy of the source's luma in a block, and how much of it the result has in the same places. */
  private compareBlock(corner: number, result: Pixels) {
    const { source } = this;
    let [sum, squares, products, other] = [0, 0, 0, 0];
    for (let row = 0; row < BLOCK_PX; row += 2)
      for (let at = corner + row * source.width, x = 0; x < BLOCK_PX; x += 2, at += 2) {
        const [before, after] = [lumaAround(source, at), lumaAround(result, at)];
        sum += before;
        other += after;
        squares += before ** 2;
        products += before * after;
      }
    const mean = sum / (BLOCK_PX / 2) ** 2;
    return { energy: squares - sum * mean, common: products - other * mean };
  }

  /** Returns the growth of steps that only short contours exceed. */
  private step(result: Pixels) {
    const { source, even } = this;
    const counts = new Uint32Array(512);
    for (const corner of even)
      for (let row = 0; row < BLOCK_PX; row++)
        for (let at = corner + row * source.width, x = 0; x < BLOCK_PX; x++, at++) {
          counts[growthOfStep(source, result, at, at + 1)]++;
          counts[growthOfStep(source, result, at, at + source.width)]++;
        }
    const few = SHORT * BLOCK_PX * Math.sqrt(even.length);
    let step = counts.length - 1;
    for (let above = counts[step]; step > 0 && above <= few; above += counts[step]) step--;
    return step;
  }
}

/** Returns the mean of 2×2 px: coders may smooth what is finer. */
function lumaAround(pixels: Pixels, first: number) {
  const below = first + pixels.width;
  return (
    (lumaAt(pixels, first) + lumaAt(pixels, first + 1) + lumaAt(pixels, below) + lumaAt(pixels, below + 1)) /
    4
  );
}

function lumaAt({ channels, data }: Pixels, pixel: number) {
  const at = pixel * channels;
  return channels < 3 ? data[at] : luma(data[at], data[at + 1], data[at + 2]);
}

/** Returns the largest difference of two channels. */
function saturationAt({ channels, data }: Pixels, pixel: number) {
  if (channels < 3) return 0;
  const colour = data.subarray(pixel * channels, pixel * channels + 3);
  return Math.max(...colour) - Math.min(...colour);
}

/** Returns how much larger the step between two pixels is than in the source, in brightness or colour; at least 0. */
function growthOfStep(source: Pixels, result: Pixels, one: number, other: number) {
  // A closure for the three would take twice the time of the loop.
  let growth = 0;
  for (let colour = 0; colour < 3; colour++) {
    const step = stepOf(result, one, other, colour);
    if (step > growth) growth = Math.max(growth, step - stepOf(source, one, other, colour));
  }
  return growth;
}

function stepOf(pixels: Pixels, one: number, other: number, colour: number) {
  return Math.abs(valueAt(pixels, one, colour) - valueAt(pixels, other, colour));
}

/** Returns red or blue minus green, or green. */
function valueAt({ channels, data }: Pixels, pixel: number, colour: number) {
  const at = pixel * channels;
  // A grey source may have a result of three channels.
  if (channels < 3) return colour === 1 ? data[at] : 0;
  return colour === 1 ? data[at + 1] : data[at + colour] - data[at + 1];
}
