/**
 * Rotates, resizes and crops images of 8 or 16 bits per sample. Packaged resizers support 8 bits only, but a
 * 16-bit PNG keeps its depth.
 */
import {
  type Dimensions,
  type Orientation,
  coveringSize,
  scaleSize,
  uprightSize,
  type Crop,
  type Position,
} from '../../domain/dimensions';
import { blankLike, crop, paste, type Raster } from '../../domain/pixels';
import { planCrop, plainBorder, storedRegion } from '../../domain/crop-plan';

/** Returns the image with its EXIF orientation applied. */
export function rotateUpright<Image extends Raster>(raster: Image, orientation: Orientation): Image {
  if (orientation === 1) return raster;
  const size = uprightSize(raster, orientation);
  const { channels } = raster;
  const storedAt = (left: number, top: number) => {
    const pixel = storedRegion({ left, top, width: 1, height: 1 }, size, orientation);
    return (pixel.top * raster.width + pixel.left) * channels;
  };
  const first = storedAt(0, 0);
  // From one pixel to the next, and from one row to the next, the stored position changes by the same.
  const [across, down] = [storedAt(1, 0) - first, storedAt(0, 1) - first];
  const upright = blankLike(raster, size);
  for (let y = 0, to = 0; y < size.height; y++) {
    for (let x = 0, from = first + y * down; x < size.width; x++, from += across, to += channels)
      for (let c = 0; c < channels; c++) upright.data[to + c] = raster.data[from + c];
  }
  return upright;
}

/** Lanczos-3, colour weighted by alpha. Holds only a few rows besides the image and the result. */
export function resize<Image extends Raster>(raster: Image, size: Dimensions): Image {
  const { channels, width, height } = raster;
  const maxValue = raster.data instanceof Uint16Array ? 65535 : 255;
  const horizontal = computeTaps(width, size.width);
  const vertical = computeTaps(height, size.height);
  const rowLength = width * channels;
  const out = blankLike(raster, size);
  const line = new Float32Array(rowLength);
  const narrow = new Float32Array(size.width * channels);
  /** Result rows, from `done` on, to which the rows so far contribute. */
  const open: Float32Array[] = [];
  for (let y = 0, done = 0; y < height; y++) {
    line.set(raster.data.subarray(y * rowLength, (y + 1) * rowLength));
    if (channels % 2 === 0) multiplyByAlpha(line, channels, (value, alpha) => (value * alpha) / maxValue);
    sweep(line, horizontal, channels, narrow);
    while (done + open.length < size.height && vertical[done + open.length].first <= y)
      open.push(new Float32Array(narrow.length));
    open.forEach((sums, i) => {
      const { first, weights } = vertical[done + i];
      const weight = weights[y - first];
      for (let x = 0; x < sums.length; x++) sums[x] += weight * narrow[x];
    });
    while (open.length > 0 && vertical[done].first + vertical[done].weights.length - 1 <= y)
      finish(open.shift() as Float32Array, out, done++, maxValue);
  }
  return out;
}

function finish(sums: Float32Array, { width, channels, data }: Raster, y: number, maxValue: number) {
  if (channels % 2 === 0)
    multiplyByAlpha(sums, channels, (value, alpha) => (alpha > 0 ? (value * maxValue) / alpha : 0));
  const start = y * width * channels;
  for (let i = 0; i < sums.length; i++)
    data[start + i] = Math.max(0, Math.min(maxValue, Math.round(sums[i])));
}

function multiplyByAlpha(
  samples: Float32Array,
  channels: number,
  product: (value: number, alpha: number) => number,
) {
  for (let i = 0; i < samples.length; i += channels) {
    const alpha = samples[i + channels - 1];
    for (let c = 0; c < channels - 1; c++) samples[i + c] = product(samples[i + c], alpha);
  }
}

interface Taps {
  readonly first: number;
  readonly weights: readonly number[];
}

const LOBES = 3;

function lanczos(x: number) {
  if (x === 0) return 1;
  if (Math.abs(x) >= LOBES) return 0;
  const angle = Math.PI * x;
  return (LOBES * Math.sin(angle) * Math.sin(angle / LOBES)) / (angle * angle);
}

/** Returns the input samples of each output sample, with their weights, which add up to 1. */
function computeTaps(from: number, to: number): Taps[] {
  const ratio = from / to;
  const spread = Math.max(1, ratio);
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * ratio - 0.5;
    const first = Math.max(0, Math.ceil(centre - LOBES * spread));
    const last = Math.min(from - 1, Math.floor(centre + LOBES * spread));
    const raw = Array.from({ length: last - first + 1 }, (_, k) => lanczos((first + k - centre) / spread));
    const sum = raw.reduce((a, b) => a + b, 0);
    return { first, weights: raw.map((weight) => weight / sum) };
  });
}

function sweep(from: Float32Array, taps: readonly Taps[], channels: number, to: Float32Array) {
  let i = 0;
  for (const { first, weights } of taps) {
    for (let c = 0; c < channels; c++, i++) {
      let sum = 0;
      let p = first * channels + c;
      for (const weight of weights) {
        sum += weight * from[p];
        p += channels;
      }
      to[i] = sum;
    }
  }
}

/** RGBA; cropped, or distorted if the aspect ratio differs. */
export function resizeTo<Image extends Raster>(raster: Image, size: Dimensions, cropping?: Crop): Image {
  if (!cropping) return resize(raster, size);
  const maxValue = raster.data instanceof Uint16Array ? 65_535 : 255;
  const background = cropping === 'thumb' ? plainBorder(raster, maxValue) : undefined;
  if (background) return onBackground(raster, size, background);
  const plan = planCrop(raster, size);
  if (plan) {
    const region = plan.regionAt(busiestPart(resize(raster, plan.miniature), plan.part));
    return resize(crop(raster, region, region), size);
  }
  const whole = resize(raster, coveringSize(raster, size));
  return crop(whole, busiestPart(whole, size), size);
}

/** Returns the whole image in the middle of a plain background. */
function onBackground<Image extends Raster>(
  raster: Image,
  size: Dimensions,
  background: readonly number[],
): Image {
  const scale = Math.min(size.width / raster.width, size.height / raster.height);
  const inside = resize(raster, scaleSize(raster, scale));
  const out = blankLike(raster, size);
  for (let i = 0; i < out.data.length; i++) out.data[i] = background[i % 4];
  const left = Math.floor((size.width - inside.width) / 2);
  const top = Math.floor((size.height - inside.height) / 2);
  paste(inside, out, { left, top });
  return out;
}

/**
 * Returns where the part with the most detail begins: the largest sum of differences between neighbours,
 * weighted by alpha.
 */
function busiestPart(raster: Raster, size: Dimensions): Position {
  const { width, height, data } = raster;
  const columns = new Float64Array(width);
  const rows = new Float64Array(height);
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const i = (y * width + x) * 4;
      let detail = 0;
      for (let c = 0; c < 3; c++) {
        detail += Math.abs(data[i + c] - data[i + c - 4]) + Math.abs(data[i + c] - data[i + c - width * 4]);
      }
      detail *= data[i + 3];
      columns[x] += detail;
      rows[y] += detail;
    }
  }
  return { left: busiestStart(columns, size.width), top: busiestStart(rows, size.height) };
}

/** Returns the first of `length` neighbours with the largest sum; of equal ones, the one nearest to the middle. */
function busiestStart(values: Float64Array, length: number) {
  const middle = (values.length - length) / 2;
  let sum = 0;
  let best = { start: 0, sum: -1 };
  for (let i = 0; i < values.length; i++) {
    sum += values[i] - (i >= length ? values[i - length] : 0);
    const start = i - length + 1;
    if (start < 0) continue;
    const isNearer = Math.abs(start - middle) < Math.abs(best.start - middle);
    if (sum > best.sum || (sum === best.sum && isNearer)) best = { start, sum };
  }
  return best.start;
}
