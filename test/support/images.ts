import assert from 'node:assert/strict';
import jpegJs from 'jpeg-js';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import type { Orientation } from '../../src/compression/domain/dimensions';
import { asRgba, type Pixels } from '../../src/compression/domain/pixels';
import { withMetadata } from './jpeg-metadata';

/** A repeatable stream of numbers in 0..1. */
export function randomNumbers(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const CORNERS = [
  [235, 20, 20],
  [20, 200, 20],
  [20, 20, 235],
  [250, 250, 250],
];

/** A gradient, waves of several lengths, edges and some noise. The corners are red, green, blue and white. */
export function photoPixels(width: number, height: number, seed = 1): Pixels {
  const random = randomNumbers(seed);
  const data = new Uint8ClampedArray(width * height * 3);
  const corner = Math.max(2, Math.round(Math.min(width, height) / 8));
  let p = 0;
  for (let y = 0; y < height; y++) {
    const rowWave = Math.cos(y / 3.7) * 8;
    for (let x = 0; x < width; x++, p += 3) {
      if ((x < corner || x >= width - corner) && (y < corner || y >= height - corner)) {
        data.set(CORNERS[(x < corner ? 0 : 1) + (y < corner ? 0 : 2)], p);
        continue;
      }
      const waves = rowWave + Math.sin(x / 9) * 22 + Math.sin((x + y * 2) / 23) * 30;
      const detail = waves + (((x >> 5) + (y >> 5)) % 5 === 0 ? 35 : 0) + (random() - 0.5) * 14;
      data[p] = 70 + (x / width) * 90 + detail;
      data[p + 1] = 90 + (y / height) * 80 + detail;
      data[p + 2] = 120 - (x / width) * 50 + detail;
    }
  }
  return { width, height, channels: 3, data: new Uint8Array(data.buffer) };
}

/** Natural detail at every scale: interpolated random values 2, 4, 8 and 16 px apart. */
export function texturedPixels(width: number, height: number, seed = 3): Pixels {
  const random = randomNumbers(seed);
  const sum = new Float64Array(width * height).fill(128);
  for (const scale of [2, 4, 8, 16]) {
    const columns = Math.ceil(width / scale) + 1;
    const knots = Array.from({ length: columns * (Math.ceil(height / scale) + 1) }, () => random() - 0.5);
    for (let i = 0; i < sum.length; i++) {
      const [x, y] = [(i % width) / scale, Math.floor(i / width) / scale];
      const [dx, dy, at] = [x % 1, y % 1, Math.floor(y) * columns + Math.floor(x)];
      const above = knots[at] * (1 - dx) + knots[at + 1] * dx;
      const below = knots[at + columns] * (1 - dx) + knots[at + columns + 1] * dx;
      sum[i] += (above * (1 - dy) + below * dy) * 18 * Math.sqrt(scale);
    }
  }
  const data = Uint8Array.from({ length: sum.length * 3 }, (_, i) => sum[Math.floor(i / 3)] + (i % 3) * 6);
  return { width, height, channels: 3, data };
}

export function pixelsOf(
  width: number,
  height: number,
  channels: Pixels['channels'],
  sample: (i: number) => number,
): Pixels {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => sample(i));
  return { width, height, channels, data };
}

/** Pixels by their place: all samples of each, or a number for all of them. */
export function painted(
  width: number,
  height: number,
  channels: Pixels['channels'],
  colour: (x: number, y: number) => number | readonly number[],
): Pixels {
  const data = new Uint8Array(width * height * channels);
  for (let i = 0; i < width * height; i++) {
    const samples = colour(i % width, Math.floor(i / width));
    if (typeof samples === 'number') data.fill(samples, i * channels, (i + 1) * channels);
    else data.set(samples, i * channels);
  }
  return { width, height, channels, data };
}

/** A colour as the palettes compare it. */
export const word = (colour: readonly number[]) => new Uint32Array(Uint8Array.from(colour).buffer)[0];

/** The widest range of one of the first channels in the 3×3 pixels around a place. */
export function rangeAround({ width, height, channels, data }: Pixels, x: number, y: number, among: number) {
  const ranges = Array.from({ length: among }, (_, c) => {
    const samples: number[] = [];
    for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++)
      for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++)
        samples.push(data[(v * width + u) * channels + c]);
    return Math.max(...samples) - Math.min(...samples);
  });
  return Math.max(...ranges);
}

export function noise(width: number, height: number, channels: Pixels['channels'], seed: number): Pixels {
  const random = randomNumbers(seed);
  return pixelsOf(width, height, channels, () => random() * 256);
}

export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Decodes with implementations that the service does not use: jpeg-js and pngjs. */
export function decodeIndependently(bytes: Uint8Array): DecodedImage {
  if (bytes[0] === 0x89) return PNG.sync.read(Buffer.from(bytes));
  return jpegJs.decode(bytes, { useTArray: true, maxMemoryUsageInMB: 4096, maxResolutionInMP: 400 });
}

type Picture = Pixels | DecodedImage | Uint8Array;

function rgba(picture: Picture): DecodedImage {
  if (picture instanceof Uint8Array) return decodeIndependently(picture);
  return 'channels' in picture ? asRgba(picture) : picture;
}

/** Returns the root-mean-square difference of all channels, of 255. Throws if the sizes differ. */
export function difference(a: Picture, b: Picture) {
  const [one, other] = [a, b].map(rgba);
  assert.deepEqual([one.width, one.height], [other.width, other.height], 'both pictures have the same size');
  const sum = one.data.reduce((total, value, i) => total + (value - other.data[i]) ** 2, 0);
  return Math.sqrt(sum / one.data.length);
}

/** Rotates by the definition of TIFF 6.0, independently of the engines: from stored to displayed positions. */
export function turned({ width: w, height: h, data }: DecodedImage, orientation: Orientation): DecodedImage {
  const [width, height] = orientation >= 5 ? [h, w] : [w, h];
  const out = new Uint8Array(data.length);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const [right, bottom] = [w - 1 - x, h - 1 - y];
      // prettier-ignore
      const [X, Y] = [
        [x, y], [right, y], [right, bottom], [x, bottom],
        [y, x], [bottom, x], [bottom, right], [y, right],
      ][orientation - 1];
      out.set(data.subarray((y * w + x) * 4, (y * w + x) * 4 + 4), (Y * width + X) * 4);
    }
  }
  return { width, height, data: out };
}

/** Opens pixels in sharp. */
export const rawImage = ({ data, width, height, channels }: Pixels) =>
  sharp(data, { raw: { width, height, channels } });

/** The pixels of an image of sharp, decoded by libvips. */
export async function samplesOf(image: sharp.Sharp): Promise<Pixels & { readonly data: Buffer }> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { width, height, channels, data };
}

export const noisyImage = (width: number, height: number, sigma: number) => {
  const noise = { type: 'gaussian', mean: 128, sigma } as const;
  return sharp({ create: { width, height, channels: 3, background: 'grey', noise } });
};

export interface JpegOptions {
  readonly quality?: number;
  readonly chroma?: '4:2:0' | '4:4:4';
  readonly progressive?: boolean;
  readonly orientation?: Orientation;
  readonly iccProfile?: Uint8Array;
}

export async function photoJpeg(width: number, height: number, options: JpegOptions = {}): Promise<Buffer> {
  const { quality = 95, chroma = '4:2:0', progressive = false, orientation, iccProfile } = options;
  const photo = rawImage(photoPixels(width, height));
  const jpeg = await photo.jpeg({ quality, chromaSubsampling: chroma, progressive }).toBuffer();
  return Buffer.from(
    withMetadata(jpeg, { ...(orientation ? { orientation } : {}), ...(iccProfile ? { iccProfile } : {}) }),
  );
}

/** An image like a screenshot, with alpha, written by pngjs with little effort, so that it can become smaller. */
export function graphicPng(width: number, height: number, options: object = {}) {
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      const inBox = (x >> 4) % 3 === 0 && (y >> 4) % 2 === 0;
      png.data[i] = inBox ? 200 : 245;
      png.data[i + 1] = inBox ? 40 + (x % 16) : 245;
      png.data[i + 2] = inBox ? 60 : 250;
      png.data[i + 3] = y < height / 4 ? 128 : 255;
    }
  }
  return PNG.sync.write(png, { deflateLevel: 1, filterType: 0, ...options });
}

export function colourAt({ width, height, data }: DecodedImage, u: number, v: number) {
  const x = Math.min(width - 1, Math.floor(u * width));
  const y = Math.min(height - 1, Math.floor(v * height));
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** A file that only the package in support/xwbp reads. */
export function xwbp(webp: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('XWBP'), webp]);
}
