/** Images made in code, and decoders that the engines do not use, for the conformance kit and the tests. */
import jpegJs from 'jpeg-js';
import { PNG } from 'pngjs';
import type { Pixels } from '../domain/pixels';
import { primariesOf, rgbProfile } from '../formats/icc-writer';

/** A repeatable stream of numbers in 0..1. */
export function randomNumbers(seed: number): () => number {
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

/**
 * An image like a photo: a gradient, waves of several lengths, edges and a little noise. The four corners differ in
 * colour (red, green, blue, white), which reveals rotated or mirrored images.
 */
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

export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8Array;
}

/** Decodes with implementations that the service does not use: jpeg-js and pngjs. */
export function decodeIndependently(bytes: Uint8Array): DecodedImage {
  if (bytes[0] === 0x89) return PNG.sync.read(Buffer.from(bytes));
  return jpegJs.decode(bytes, { useTArray: true, maxMemoryUsageInMB: 4096, maxResolutionInMP: 400 });
}

/** A profile whose colours are wider than sRGB: the primaries and the white of Display P3. */
export function wideProfile(): Uint8Array {
  const primaries = primariesOf([0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06]);
  if (!primaries) throw new Error('these primaries are no colour space');
  return rgbProfile(primaries);
}
