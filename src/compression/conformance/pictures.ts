/** Images and comparisons for the codec conformance suite. */
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import jpegJs from 'jpeg-js';
import { PNG } from 'pngjs';
import type { CodecEngine, JpegCodec, JpegDecodeOptions } from '../application/codecs.port';
import type { Orientation } from '../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../domain/pixels';
import { ImageRefused } from '../../contract/image-problems';
import { pngChunk, readChunks } from '../formats/png/png-chunks';
import { pngOfChunks, pngOfRows } from '../formats/png/png-rows';
import { readJpegFrame } from '../formats/jpeg/jpeg-structure';
import type { DecodedImage } from './images';

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

/** Returns any pixels as RGBA, for comparison with the independent decoders. */
export function rgba({ width, height, channels, data }: Pixels): DecodedImage {
  const out = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0, p = 0; i < out.length; i += 4, p += channels) {
    for (let c = 0; c < 3; c++) out[i + c] = data[p + (channels < 3 ? 0 : c)];
    if (channels % 2 === 0) out[i + 3] = data[p + channels - 1];
  }
  return { width, height, data: out };
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
  return jpegJs.encode({ ...rgba(pixels), data: Buffer.from(rgba(pixels).data) }, quality).data;
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
  const [header, ...rest] = readChunks(pngOfRows({ width: side, height: side, channels }, deflateSync(rows)));
  const deep = Buffer.from(header.data);
  deep[8] = 16;
  return Buffer.from(pngOfChunks([pngChunk('IHDR', deep), ...rest]));
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
