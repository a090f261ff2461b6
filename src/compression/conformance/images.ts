/** Images made in code, comparisons, and decoders that the engines do not use, for the conformance kit and the tests. */
import assert from 'node:assert/strict';
import jpegJs from 'jpeg-js';
import { PNG } from 'pngjs';
import { asRgba, type ChromaSubsampling, type Pixels } from '../domain/pixels';
import { primariesOf, rgbProfile } from '../formats/icc-writer';
import { deflateSync } from 'node:zlib';
import type { CodecEngine, JpegCodec, JpegDecodeOptions } from '../application/codecs.port';
import type { Orientation } from '../domain/dimensions';
import { ImageRefused } from '../../contract/image-problems';
import { COLOUR_TYPES, headerChunk, pngChunk, pngOfChunks } from '../formats/png/png-chunks';
import { readJpegFrame } from '../formats/jpeg/jpeg-structure';

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

/** A check of an engine throws an AssertionError with the expected result. */
export interface ConformanceCheck {
  readonly name: string;
  readonly run: (engine: CodecEngine) => Promise<void>;
}

export const CHROMA: readonly ChromaSubsampling[] = ['4:2:0', '4:4:4'];

/** Decodes a JPEG, upright unless the options say otherwise. */
export async function decodeJpeg(
  codec: JpegCodec,
  jpeg: Uint8Array,
  options: Partial<JpegDecodeOptions> = {},
): Promise<Pixels> {
  const header = options.header ?? readJpegFrame(jpeg);
  return codec.decode(jpeg, { orientation: 1, ...options, header });
}

/** Returns the root-mean-square difference over all four channels; sizes must be equal. */
export function difference(a: DecodedImage, b: DecodedImage): number {
  assert.deepEqual([a.width, a.height], [b.width, b.height], 'both pictures have the same size');
  const sum = a.data.reduce((total, value, i) => total + (value - b.data[i]) ** 2, 0);
  return Math.sqrt(sum / a.data.length);
}

/** Rotates by the definition of TIFF 6.0, independently of the engines: from stored to displayed positions. */
export function turned({ width: w, height: h, data }: DecodedImage, orientation: Orientation): DecodedImage {
  const [width, height] = orientation >= 5 ? [h, w] : [w, h];
  const out = new Uint8Array(data.length);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const [left, top] = [x, y];
      const [right, bottom] = [w - 1 - x, h - 1 - y];
      const [X, Y] = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [top, left],
        [bottom, left],
        [bottom, right],
        [top, right],
      ][orientation - 1];
      out.set(data.subarray((y * w + x) * 4, (y * w + x) * 4 + 4), (Y * width + X) * 4);
    }
  }
  return { width, height, data: out };
}

export function jpegOf(pixels: Pixels, quality = 92): Uint8Array {
  const { width, height, data } = asRgba(pixels);
  return jpegJs.encode({ width, height, data: Buffer.from(data) }, quality).data;
}

/** A PNG with soft edges and transparency, written by pngjs with little effort. */
export function pngOf({ width, height }: { width: number; height: number }, options: object = {}): Buffer {
  const png = new PNG({ width, height });
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    png.data.set(
      [(x * 255) / width, (y * 255) / height, ((x >> 3) % 2) * 120 + 60, y < 20 ? 90 : 255],
      i * 4,
    );
  }
  return PNG.sync.write(png, { deflateLevel: 1, filterType: 0, ...options });
}

/** A PNG with 16-bit samples that 8 bits cannot represent. */
export function deepPng(alphaAt = 0): Buffer {
  const [width, height] = [60, 40];
  const samples = Uint16Array.from({ length: width * height * 4 }, (_, i) =>
    i % 4 === 3 ? (i < 400 ? 30_000 : 65_535) : (i * 97) % 65_536,
  );
  samples[3] += alphaAt;
  const png = new PNG({ width, height });
  png.data = samples as unknown as Buffer;
  return PNG.sync.write(png, { bitDepth: 16, inputColorType: 6, inputHasAlpha: true, colorType: 6 });
}

/** A square PNG with 16-bit samples. */
export function deepPngOf(
  side: number,
  channels: 1 | 2 | 3 | 4,
  sampleAt: (pixel: number, channel: number) => number,
): Buffer {
  const rows = Buffer.alloc(side * (1 + side * channels * 2));
  for (let i = 0; i < side * side; i++) {
    const at = 1 + Math.floor(i / side) + i * channels * 2;
    for (let c = 0; c < channels; c++) rows.writeUInt16BE(sampleAt(i, c), at + c * 2);
  }
  const header = headerChunk({ width: side, height: side }, 16, COLOUR_TYPES[channels]);
  return Buffer.from(pngOfChunks([header, pngChunk('IDAT', deflateSync(rows))]));
}

/** The same PNG with a gAMA chunk of linear light after the header. */
export function withGamma(png: Buffer): Buffer {
  const gamma = Buffer.from('00000004' + '67414d41' + '000186a0' + '31e8965f', 'hex');
  return Buffer.concat([png.subarray(0, 33), gamma, png.subarray(33)]);
}

export async function refuses(work: () => Promise<unknown>, what: string): Promise<void> {
  await assert.rejects(
    work,
    (error) => error instanceof ImageRefused && error.code === 'undecodable_image',
    what,
  );
}
