/**
 * What a mean over the image forgives, because it is rare or no loss of structure, and the eye does not: stars and faint lines that fade
 * into a quiet ground, details on it that lose their colour, steps in an even gradient, and areas that take another tint.
 */
import { luma, type Pixels } from './pixels';
import { BLOCK_PX, findSmoothAreas, type SmoothAreas } from './smooth-areas';

/** The largest changes that smooth areas allow, of 255: of an even ground, and of one around a detail. */
const EVEN_CAP = 1;
const QUIET_CAP = 2;
/** Details: small spots such as stars; lines, and the edges that look like them; those of the lines that have colour. */
const KINDS = ['spots', 'lines', 'colours'] as const;
type Kind = (typeof KINDS)[number];
/** Values of a pixel that a kind has: see valueAt(); 0 and 2 are red and blue minus green. */
const [GREEN, LUMA] = [1, 3];
const VALUES: Readonly<Record<Kind, readonly number[]>> = { spots: [LUMA], lines: [LUMA], colours: [0, 2] };
/**
 * Minimum number of quiet blocks among the block of a detail and its eight neighbours. A spot may reach into one neighbour; a line, like an
 * edge, crosses two.
 */
const LEAST_QUIET = { spots: 7, lines: 4 };
/**
 * Sum of the squared differences of 2×2 px from the mean of their block: of a spot of 3×3 px, 11 of 255 brighter than its ground; of a line
 * of 1.5 px, 4 darker; of one pixel of pure red or blue.
 */
const LEAST_ENERGY: Readonly<Record<Kind, number>> = { spots: 140, lines: 24, colours: 3_000 };
/** Minimum energy of a line ÷ median energy of quiet blocks, which is noise or a gradient. */
const ABOVE_NOISE = 30;
/** Approximate number of quiet blocks that are sampled for the median. */
const NOISE_SAMPLES = 1_000;
/** Difference of luma by which a single pixel in an even block, which hardly bends it, may be a detail. */
const SPOT = 16;
/** Fewer details say nothing about an image, nor do those of one that has less quiet ground: night skies have more. */
const FEWEST_DETAILS = 8;
const LEAST_GROUND = 0.6;

/** Root mean square of the contrast that details may lose: see measure(). */
const MAX_FADING: Readonly<Record<Kind, number>> = { spots: 0.15, lines: 0.15, colours: 0.3 };
/** Levels by which steps of green, or of red or blue minus green, may grow: photos have up to 3, visible bands in pale blue had 7. */
const MAX_STEP = 3;
/** Contours shorter than half a side of the even ground are none. */
const SHORT = 0.5;

/** Side, in blocks, of the areas whose mean colours are compared, if all their blocks are quiet. */
const AREA_BLOCKS = 4;
/**
 * Root mean square of the shifts of areas in green, or in red or blue minus green: photos have up to 1.1, pale grounds whose tint changed 1.8
 * to 4.
 */
const MAX_TINT = 1.25;
/** The eye sees less of a shift in saturated colours, as CIE94 has it: half of it where channels differ by this much. */
export const HALF_SEEN = 56;
/** More would mislead the search: the tint falls in jumps, where a quantizer step happens to match the ground. */
const MOST_TINT = 1.3;
/** A tint of fewer areas goes unnoticed, except in an image that has no more. */
const LEAST_AREAS = 2;

/** The quiet ground of an image, found once. */
export class SmoothGround {
  /** Numbers of the first pixels of blocks of 8×8 px. */
  private readonly details: Record<Kind, number[]> = { spots: [], lines: [], colours: [] };
  /** Of blocks that are even, like all around them. */
  private readonly even: number[] = [];
  /** Of quiet areas. */
  private readonly areas: number[] = [];

  /** @param source opaque @param density above 1, details and steps are too small to be seen */
  constructor(
    private readonly source: Pixels,
    density = 1,
  ) {
    const smooth = findSmoothAreas(source);
    this.findAreas(smooth);
    if (density === 1) this.findDetails(smooth);
  }

  private findAreas({ caps, blocksPerRow }: SmoothAreas) {
    const { width, height } = this.source;
    const [columns, rows] = [width, height].map((side) => Math.floor(side / BLOCK_PX / AREA_BLOCKS));
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const first = (row * blocksPerRow + column) * AREA_BLOCKS;
        let quiet = 0;
        for (let y = 0; y < AREA_BLOCKS; y++)
          for (let x = 0; x < AREA_BLOCKS; x++) if (caps[first + y * blocksPerRow + x] <= QUIET_CAP) quiet++;
        if (quiet === AREA_BLOCKS ** 2) this.areas.push((row * width + column) * AREA_BLOCKS * BLOCK_PX);
      }
    if (this.areas.length < Math.min(LEAST_AREAS, columns * rows)) this.areas.length = 0;
  }

  private findDetails({ caps, blocksPerRow }: SmoothAreas) {
    const { source, even } = this;
    const { width, height } = source;
    const quiet: number[] = [];
    const around: { readonly corner: number; readonly quietBlocks: number }[] = [];
    for (let y = 1; y < Math.floor(height / BLOCK_PX) - 1; y++)
      for (let x = 1; x < Math.floor(width / BLOCK_PX) - 1; x++) {
        const [block, corner] = [y * blocksPerRow + x, (y * width + x) * BLOCK_PX];
        let [evenBlocks, quietBlocks] = [0, 0];
        for (let row = block - blocksPerRow; row <= block + blocksPerRow; row += blocksPerRow)
          for (let at = row - 1; at <= row + 1; at++) {
            if (caps[at] <= EVEN_CAP) evenBlocks++;
            if (caps[at] <= QUIET_CAP) quietBlocks++;
          }
        if (caps[block] <= QUIET_CAP) quiet.push(corner);
        if (evenBlocks === 9) even.push(corner);
        if (evenBlocks < 9 ? quietBlocks >= LEAST_QUIET.lines : hasSpot(source, corner))
          around.push({ corner, quietBlocks });
      }
    if (caps.filter((cap) => cap <= QUIET_CAP).length < LEAST_GROUND * caps.length) return;
    const energyOf = (corner: number, kind: Kind) => this.compareBlock(corner, source, kind).energy;
    const each = Math.ceil(quiet.length / NOISE_SAMPLES);
    const noise = quiet.filter((_, i) => i % each === 0).map((corner) => energyOf(corner, 'lines'));
    const [median = 0] = noise.sort((one, other) => one - other).slice(noise.length >> 1);
    const least = { ...LEAST_ENERGY, lines: Math.max(LEAST_ENERGY.lines, ABOVE_NOISE * median) };
    const found: typeof this.details = { spots: [], lines: [], colours: [] };
    for (const { corner, quietBlocks } of around) {
      const energy = energyOf(corner, 'lines');
      if (quietBlocks >= LEAST_QUIET.spots && energy >= least.spots) found.spots.push(corner);
      if (energy < least.lines) continue;
      found.lines.push(corner);
      if (energyOf(corner, 'colours') >= least.colours) found.colours.push(corner);
    }
    for (const kind of KINDS) if (found[kind].length >= FEWEST_DETAILS) this.details[kind] = found[kind];
  }

  /**
   * Returns how far a result of the same size is from looking the same: at most 1 if it does. Photos that look the same lose up to 0.13 of
   * the contrast of their details, a night sky whose stars were smears lost 0.4.
   */
  measure(result: Pixels): number {
    const tint = Math.min(MOST_TINT, this.tint(result) / MAX_TINT);
    const fadings = KINDS.map((kind) => this.fading(result, kind) / MAX_FADING[kind]);
    return Math.max(tint, ...fadings, this.step(result) / MAX_STEP);
  }

  private tint(result: Pixels) {
    const { source, areas } = this;
    const squares = areas.map((area) => {
      const [before, after] = [meanColour(source, area), meanColour(result, area)];
      const saturation = Math.max(before[0], 0, before[2]) - Math.min(before[0], 0, before[2]);
      const shift = Math.max(...after.map((mean, i) => Math.abs(mean - before[i])));
      return ((shift * HALF_SEEN) / (HALF_SEEN + saturation)) ** 2;
    });
    return rootMean(squares);
  }

  private fading(result: Pixels, kind: Kind) {
    const lost = this.details[kind].map((corner) => {
      const { energy, common } = this.compareBlock(corner, result, kind);
      return Math.max(0, 1 - common / energy) ** 2;
    });
    return rootMean(lost);
  }

  /** Returns the energy of the source in a block, and how much of it the result has in the same places. */
  private compareBlock(corner: number, result: Pixels, kind: Kind) {
    const { source } = this;
    let energy = 0;
    let common = 0;
    for (const value of VALUES[kind]) {
      let sum = 0;
      let squares = 0;
      let products = 0;
      let other = 0;
      for (let row = 0; row < BLOCK_PX; row += 2)
        for (let at = corner + row * source.width, x = 0; x < BLOCK_PX; x += 2, at += 2) {
          const before = meanAround(source, at, value);
          const after = result === source ? before : meanAround(result, at, value);
          sum += before;
          other += after;
          squares += before ** 2;
          products += before * after;
        }
      const mean = sum / (BLOCK_PX / 2) ** 2;
      energy += squares - sum * mean;
      common += products - other * mean;
    }
    return { energy, common };
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

/** Returns the root of the mean; 0 without values. */
function rootMean(squares: readonly number[]) {
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / (squares.length || 1));
}

function hasSpot(pixels: Pixels, corner: number) {
  const ground = valueAt(pixels, corner, LUMA);
  for (let row = 0; row < BLOCK_PX; row++)
    for (let at = corner + row * pixels.width, x = 0; x < BLOCK_PX; x++, at++)
      if (Math.abs(valueAt(pixels, at, LUMA) - ground) > SPOT) return true;
  return false;
}

/** Returns the mean of 2×2 px: coders may smooth what is finer. */
function meanAround(pixels: Pixels, first: number, value: number) {
  const below = first + pixels.width;
  const upper = valueAt(pixels, first, value) + valueAt(pixels, first + 1, value);
  return (upper + valueAt(pixels, below, value) + valueAt(pixels, below + 1, value)) / 4;
}

/** The blocks of an area that are read: one in each of its rows and columns. */
const COLUMN_OF_ROW = [0, 2, 1, 3];

/** Returns the means of an area: red minus green, green, and blue minus green. */
function meanColour({ width, channels, data }: Pixels, area: number): [number, number, number] {
  const [toGreen, toBlue] = channels < 3 ? [0, 0] : [1, 2];
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let row = 0; row < AREA_BLOCKS * BLOCK_PX; row++) {
    const left = area + row * width + COLUMN_OF_ROW[row >> 3] * BLOCK_PX;
    for (let at = left * channels, x = 0; x < BLOCK_PX; x++, at += channels) {
      red += data[at];
      green += data[at + toGreen];
      blue += data[at + toBlue];
    }
  }
  const pixels = AREA_BLOCKS * BLOCK_PX ** 2;
  return [(red - green) / pixels, green / pixels, (blue - green) / pixels];
}

/** Returns how much larger the step between two pixels is than in the source, in whole levels of brightness or of colour as it is seen; at least 0. */
function growthOfStep(source: Pixels, result: Pixels, one: number, other: number) {
  // A closure for the three would take twice the time of the loop.
  let seen = 0;
  for (let colour = 0; colour < 3; colour++) {
    const step = stepOf(result, one, other, colour);
    if (step <= seen) continue;
    const growth = step - stepOf(source, one, other, colour);
    if (growth > seen) seen = Math.max(seen, colour === GREEN ? growth : growth * shareSeen(source, one));
  }
  return Math.round(seen);
}

/** Returns how much of a difference of colour the eye sees in a pixel: see HALF_SEEN. */
function shareSeen(pixels: Pixels, pixel: number) {
  const [red, blue] = [valueAt(pixels, pixel, 0), valueAt(pixels, pixel, 2)];
  return HALF_SEEN / (HALF_SEEN + Math.max(red, 0, blue) - Math.min(red, 0, blue));
}

function stepOf(pixels: Pixels, one: number, other: number, colour: number) {
  return Math.abs(valueAt(pixels, one, colour) - valueAt(pixels, other, colour));
}

/** Returns red or blue minus green, green, or luma. */
function valueAt({ channels, data }: Pixels, pixel: number, value: number) {
  const at = pixel * channels;
  // A grey source may have a result of three channels.
  if (channels < 3) return value % 2 === 1 ? data[at] : 0;
  if (value === LUMA) return luma(data[at], data[at + 1], data[at + 2]);
  return value === GREEN ? data[at + 1] : data[at + value] - data[at + 1];
}
