/**
 * Turning and scaling of samples, of 8 or 16 bits: what the portable codecs leave to their caller. (The packaged
 * resizers know 8 bits only, and a 16-bit PNG keeps its depth.)
 */
import type { Dimensions, Orientation } from '../../../domain/dimensions';

export interface Raster extends Dimensions {
  /** Interleaved samples a pixel; the last one of two or four is alpha, not premultiplied. */
  readonly channels: number;
  readonly data: Uint8Array | Uint16Array;
}

/** Where each upright pixel is found in the stored picture (TIFF 6.0, tag 274). */
const SOURCE_OF: Readonly<
  Record<Orientation, (x: number, y: number, w: number, h: number) => readonly [number, number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - 1 - x, y],
  3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, _, h) => [x, h - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, _, h) => [y, h - 1 - x],
  7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
  8: (x, y, w) => [w - 1 - y, x],
};

export function turnedUpright(raster: Raster, orientation: Orientation): Raster {
  if (orientation === 1) return raster;
  const { width: w, height: h, channels } = raster;
  const [width, height] = orientation >= 5 ? [h, w] : [w, h];
  const data = sameKind(raster, raster.data.length);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += channels) {
      const [fromX, fromY] = SOURCE_OF[orientation](x, y, w, h);
      const from = (fromY * w + fromX) * channels;
      for (let c = 0; c < channels; c++) data[to + c] = raster.data[from + c];
    }
  }
  return { width, height, channels, data };
}

function sameKind({ data }: Raster, length: number): Uint8Array | Uint16Array {
  return data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}

/** Lanczos-3, along the rows and then along the columns; colour is weighted by alpha. */
export function scaled(raster: Raster, size: Dimensions): Raster {
  const { channels } = raster;
  const hasAlpha = channels % 2 === 0;
  const most = raster.data instanceof Uint16Array ? 65535 : 255;
  let samples = Float32Array.from(raster.data);
  if (hasAlpha) multiplyByAlpha(samples, channels, (value, alpha) => (value * alpha) / most);
  samples = swept(
    samples,
    raster.width,
    size.width,
    raster.height,
    channels,
    raster.width * channels,
    channels,
  );
  samples = sweptColumns(samples, raster.height, size.height, size.width, channels);
  if (hasAlpha)
    multiplyByAlpha(samples, channels, (value, alpha) => (alpha > 0 ? (value * most) / alpha : 0));
  const data = sameKind(raster, samples.length);
  for (let i = 0; i < data.length; i++) data[i] = Math.max(0, Math.min(most, Math.round(samples[i])));
  return { ...size, channels, data };
}

function multiplyByAlpha(
  samples: Float32Array,
  channels: number,
  product: (value: number, alpha: number) => number,
): void {
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

function lanczos(x: number): number {
  if (x === 0) return 1;
  if (Math.abs(x) >= LOBES) return 0;
  const angle = Math.PI * x;
  return (LOBES * Math.sin(angle) * Math.sin(angle / LOBES)) / (angle * angle);
}

/** Which input samples make each output sample, and how much of each. */
function tapsOf(from: number, to: number): Taps[] {
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

/** Scales lines of `from` pixels to `to`; lines begin `lineStep` values apart, pixels `pixelStep`. */
function swept(
  samples: Float32Array,
  from: number,
  to: number,
  lines: number,
  channels: number,
  lineStep: number,
  pixelStep: number,
): Float32Array<ArrayBuffer> {
  const out = new Float32Array(lines * to * channels);
  const taps = tapsOf(from, to);
  for (let line = 0, i = 0; line < lines; line++) {
    for (const { first, weights } of taps) {
      for (let c = 0; c < channels; c++, i++) {
        let sum = 0;
        let p = line * lineStep + first * pixelStep + c;
        for (const weight of weights) {
          sum += weight * samples[p];
          p += pixelStep;
        }
        out[i] = sum;
      }
    }
  }
  return out;
}

function sweptColumns(
  samples: Float32Array,
  from: number,
  to: number,
  width: number,
  channels: number,
): Float32Array<ArrayBuffer> {
  const out = new Float32Array(width * to * channels);
  const row = width * channels;
  tapsOf(from, to).forEach(({ first, weights }, y) => {
    weights.forEach((weight, k) => {
      const source = (first + k) * row;
      for (let i = 0; i < row; i++) out[y * row + i] += weight * samples[source + i];
    });
  });
  return out;
}
