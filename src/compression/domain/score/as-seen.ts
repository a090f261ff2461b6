/**
 * An image as it is seen on a display: at 2 or 3 pixels per CSS pixel the eye does not resolve single pixels,
 * so images are reduced by the density before they are compared. Each pixel becomes the mean linear light of
 * the area that it covers (IEC 61966-2-1).
 */
import type { Dimensions } from '../dimensions';
import type { Pixels } from '../pixels';
import { srgbSample } from '../tone';
import { LINEAR_16, LINEAR_16_MAX } from './linear-light';

/** Images are not reduced below this shorter side, where the score becomes unreliable: 4 windows at a quarter of the size. */
const LEAST_SEEN_PX = 32;
/** The score also compares planes of an eighth of the size: of less than 2 px, they tell nothing. */
const LEAST_JUDGED_PX = 16;

/** 8-bit sRGB samples by linear light of 0..65535. */
const SAMPLES = Uint8Array.from({ length: LINEAR_16_MAX + 1 }, (_, light) =>
  Math.round(255 * srgbSample(light / LINEAR_16_MAX)),
);
/** Local copies: in a loop over pixels, an import is looked up each time. */
const LIGHT = LINEAR_16;

/** Returns the density at which an image is judged: the display's, but no larger than its size allows. */
export function judgedDensity({ width, height }: Dimensions, density: number): number {
  const most = Math.floor((10 * Math.min(width, height)) / LEAST_SEEN_PX) / 10;
  return Math.max(1, Math.min(density, most));
}

/**
 * Whether an image is smaller than the score can judge, such as a bullet. Of 10 to 14 px, files that
 * passed had a Butteraugli (3-norm) of up to 2, and of 20 to 256 px about 1.
 */
export function isTooSmallToJudge({ width, height }: Dimensions): boolean {
  return Math.max(width, height) < LEAST_JUDGED_PX;
}

/** Returns the size at which an image is seen, at least 1 px. @param density pixels per CSS pixel, at least 1 */
export function seenSize({ width, height }: Dimensions, density: number): Dimensions {
  return {
    width: Math.max(1, Math.round(width / density)),
    height: Math.max(1, Math.round(height / density)),
  };
}

/** Returns the image reduced to a size: RGB, or grey if it is. Alpha is ignored. */
export function asSeen(pixels: Pixels, seen: Dimensions): Pixels {
  if (pixels.width === seen.width && pixels.height === seen.height) return pixels;
  const isHalf = (pixels.width + 1) >> 1 === seen.width && (pixels.height + 1) >> 1 === seen.height;
  if (isHalf && pixels.channels > 2) return halved(pixels, seen);
  const [across, down] = [wholeScale(pixels.width, seen.width), wholeScale(pixels.height, seen.height)];
  return across && down ? boxed(pixels, seen, across, down) : reduced(pixels, seen);
}

/** Returns the pixels per seen pixel along a side. */
export function pixelsPerSeen(length: number, seen: number): number {
  return wholeScale(length, seen) ?? length / seen;
}

/** Undefined if that is a fraction. The last seen pixel may cover more or fewer. */
function wholeScale(length: number, seen: number) {
  const scale = Math.round(length / seen);
  return Math.abs(length - scale * seen) < scale ? scale : undefined;
}

/** The same as `boxed` for colours at half the size, in two fifths of its time. An odd last row or column counts twice. */
function halved({ width, height, channels, data }: Pixels, seen: Dimensions): Pixels {
  const out = new Uint8Array(seen.width * seen.height * 3);
  const rowBytes = width * channels;
  const mean = (p: number, right: number, below: number) =>
    SAMPLES[
      (LIGHT[data[p]] +
        LIGHT[data[p + right]] +
        LIGHT[data[p + below]] +
        LIGHT[data[p + below + right]] +
        2) >>
        2
    ];
  for (let y = 0, to = 0; y < height; y += 2) {
    const below = y + 1 < height ? rowBytes : 0;
    for (let x = 0, p = y * rowBytes; x < width; x += 2, p += 2 * channels) {
      const right = x + 1 < width ? channels : 0;
      out[to++] = mean(p, right, below);
      out[to++] = mean(p + 1, right, below);
      out[to++] = mean(p + 2, right, below);
    }
  }
  return { ...seen, channels: 3, data: out };
}

/** Takes means of whole pixels: the usual case, at least four times as fast as `reduced`. The last row and column take the rest. */
function boxed(
  { width, height, channels, data }: Pixels,
  seen: Dimensions,
  across: number,
  down: number,
): Pixels {
  const colours = channels < 3 ? 1 : 3;
  const rowBytes = width * channels;
  const out = new Uint8Array(seen.width * seen.height * colours);
  const sums = new Uint32Array(seen.width * colours);
  const last = sums.length - colours;
  const lastWidth = width - (seen.width - 1) * across;
  for (let y = 0, to = 0; y < seen.height; y++) {
    const top = y * down;
    const bottom = y === seen.height - 1 ? height : top + down;
    sums.fill(0);
    for (let row = top; row < bottom; row++)
      addCells(sums, data.subarray(row * rowBytes, (row + 1) * rowBytes), channels, across);
    for (let i = 0; i < sums.length; i++) {
      const count = (bottom - top) * (i < last ? across : lastWidth);
      out[to++] = SAMPLES[(sums[i] / count + 0.5) | 0];
    }
  }
  return { ...seen, channels: colours, data: out };
}

function addCells(sums: Uint32Array, row: Uint8Array, channels: number, across: number) {
  const colours = channels < 3 ? 1 : 3;
  const step = across * channels;
  for (let cell = 0, at = 0; cell < sums.length; cell += colours) {
    const end = cell === sums.length - colours ? row.length : at + step;
    // Sums in variables take three quarters of the time.
    let [red, green, blue] = [0, 0, 0];
    if (colours === 1) for (; at < end; at += channels) red += LIGHT[row[at]];
    else
      for (; at < end; at += channels) {
        red += LIGHT[row[at]];
        green += LIGHT[row[at + 1]];
        blue += LIGHT[row[at + 2]];
      }
    sums[cell] += red;
    if (colours === 1) continue;
    sums[cell + 1] += green;
    sums[cell + 2] += blue;
  }
}

/** The pixels that one seen pixel covers along a side, and their shares. */
interface Cover {
  readonly first: number;
  readonly weights: Float64Array;
}

function listCovers(length: number, seen: number): Cover[] {
  const scale = length / seen;
  return Array.from({ length: seen }, (_, i) => {
    const [start, end] = [i * scale, Math.min(length, (i + 1) * scale)];
    const first = Math.floor(start);
    const count = Math.max(1, Math.ceil(end - 1e-9) - first);
    const weights = Float64Array.from({ length: count }, (_, k) => {
      const covered = Math.min(end, first + k + 1) - Math.max(start, first + k);
      return covered / scale;
    });
    return { first, weights };
  });
}

/** The general case, for sizes that are no whole multiples. Sums rows first, then columns. */
function reduced({ width, height, channels, data }: Pixels, seen: Dimensions): Pixels {
  const colours = channels < 3 ? 1 : 3;
  const [columns, rows] = [listCovers(width, seen.width), listCovers(height, seen.height)];
  const out = new Uint8Array(seen.width * seen.height * colours);
  const sums = new Float64Array(width * colours);
  let to = 0;
  for (const { first, weights } of rows) {
    sums.fill(0);
    for (let k = 0; k < weights.length; k++) {
      const weight = weights[k];
      for (let x = 0, at = (first + k) * width * channels, i = 0; x < width; x++, at += channels) {
        for (let c = 0; c < colours; c++) sums[i++] += weight * LIGHT[data[at + c]];
      }
    }
    for (const column of columns) {
      const { length } = column.weights;
      for (let c = 0; c < colours; c++) {
        let light = 0;
        for (let k = 0, i = column.first * colours + c; k < length; k++, i += colours)
          light += column.weights[k] * sums[i];
        out[to++] = SAMPLES[Math.round(light)];
      }
    }
  }
  return { ...seen, channels: colours, data: out };
}

/**
 * Whether a result needs no further encode for a density. One made for single pixels keeps what denser
 * displays hide, so it may still become smaller there; between two dense displays the difference is small.
 */
export function isMadeFor(made: number, density: number): boolean {
  return made === density || (made > 1 && made < density);
}
