import { readFileSync } from 'node:fs';
import { deflateSync, inflateSync } from 'node:zlib';
import { WebAssembly } from '../../../../../src/compression/domain/load-module';
import { deflate } from '../../../../../src/compression/infrastructure/codecs/libdeflate';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import { findData, readChunks } from '../../../../../src/compression/formats/png/png-chunks';
import { decodeIndependently, difference, rawImage, texturedPixels } from '../../../../support/images';

interface Exports {
  readonly c: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly d: () => void;
  readonly e: (level: number) => number;
}

const noise = texturedPixels(300, 200).data;

it('writes zlib streams, smaller with more effort and than those of zlib', async () => {
  const sizes: number[] = [deflateSync(noise, { level: 9 }).length];
  for (const effort of ['fast', 'balanced', 'max'] as const) {
    const deflated = await deflate(noise, effort);
    expect(inflateSync(deflated)).toEqual(noise);
    sizes.push(deflated.length);
  }
  const [zlib, fast, balanced, max] = sizes;
  expect(balanced).toBeLessThan(Math.min(zlib, fast));
  expect(max).toBeLessThanOrEqual(balanced);
  // Noise has a level between the first two.
  const quick = await deflate(noise, 'balanced', true);
  expect(inflateSync(quick)).toEqual(noise);
  expect(quick.length).toBeLessThan(fast);
  expect(quick).not.toEqual(await deflate(noise, 'balanced'));
  expect(await deflate(noise, 'max', true)).toEqual(await deflate(noise, 'max'));
});

describe('repetitive data, such as a chart in a palette', () => {
  const [width, height] = [600, 300];
  const colours = [255, 200, 40, 90, 160];
  const chart: Pixels = { width, height, channels: 1, data: new Uint8Array(width * height).fill(colours[0]) };
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y += 50) chart.data[y * width + x] = colours[1];
    for (const phase of [0, 1, 2])
      chart.data[Math.round(150 + 100 * Math.sin(x / 60 + phase)) * width + x] = colours[2 + phase];
  }

  it('takes the effort above, and fewer bytes than zlib', async () => {
    const [fast, balanced, max] = await Promise.all(
      (['fast', 'balanced', 'max'] as const).map((effort) => deflate(chart.data, effort)),
    );
    expect(Buffer.compare(inflateSync(balanced), chart.data)).toBe(0);
    expect(balanced.length).toBeLessThan(fast.length * 0.98);
    expect(balanced).toEqual(max);
    expect(balanced.length).toBeLessThan(deflateSync(chart.data, { level: 9 }).length);
  });

  it('takes no level 12 above 2 MB, which would take too long, but that of \`balanced\` at \`fast\`', async () => {
    const long = new Uint8Array(2 ** 21 + 1);
    for (let at = 0; at < long.length; at += chart.data.length)
      long.set(chart.data.subarray(0, long.length - at), at);
    const [fast, balanced, max] = await Promise.all(
      (['fast', 'balanced', 'max'] as const).map((effort) => deflate(long, effort)),
    );
    expect(balanced).toEqual(fast);
    expect(max.length).toBeLessThan(balanced.length);
  });

  it('does so after oxipng, too, with the same pixels', async () => {
    const source = await rawImage(chart).png({ palette: true }).toBuffer();
    const optimised = await createNativeEngine().png.optimise(source, 'balanced');
    const [data] = findData(readChunks(optimised), 'IDAT');
    expect(Buffer.from(data)).toEqual(await deflate(inflateSync(data), 'max'));
    expect(difference(optimised, decodeIndependently(source))).toBe(0);
  });
});

it('sets the words of a compressor that hold its search depth, the length that ends a search, and its passes', () => {
  const file = require.resolve('../../../../../src/compression/infrastructure/codecs/libdeflate.wasm');
  const module = new WebAssembly.Module(readFileSync(file));
  const memory = { grow: () => true, copy: () => undefined };
  const instance = new WebAssembly.Instance(module, { a: { a: memory.grow, b: memory.copy } });
  const { c, d, e } = instance.exports as Exports;
  d();
  c.grow(400);
  const wordsOf = (level: number) => {
    const words = new Uint32Array(c.buffer, e(level));
    return [words[4], words[5], words[2_252_921]];
  };
  expect(wordsOf(10)).toEqual([35, 75, 2]);
  expect(wordsOf(12)).toEqual([300, 258, 10]);
});

it('deflates nothing, more than its memory holds at first, and the same again', async () => {
  const first = await deflate(noise, 'fast');
  for (const length of [0, 1, 40_000_000]) {
    const bytes = new Uint8Array(length).fill(7);
    expect(inflateSync(await deflate(bytes, 'fast'))).toEqual(bytes);
  }
  expect(await deflate(noise, 'fast')).toEqual(first);
});
