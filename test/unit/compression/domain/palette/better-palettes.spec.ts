import type { KeptColours } from '../../../../../src/compression/domain/kept-colours';
import {
  countColours,
  drawColours,
  readSample,
  sampleColours,
  sampleIds,
  weigh,
} from '../../../../../src/compression/domain/palette/colour-histogram';
import { refinePalette } from '../../../../../src/compression/domain/palette/refined-palette';
import { withDitheredAreas } from '../../../../../src/compression/domain/palette/dithered-areas';
import type * as indexedImage from '../../../../../src/compression/domain/palette/indexed-image';
import {
  indexed,
  toRgba,
  type IndexedImage,
} from '../../../../../src/compression/domain/palette/indexed-image';
import { sampleBands } from '../../../../../src/compression/domain/near-lossless/sample-bands';
import { withRareColours } from '../../../../../src/compression/domain/palette/rare-colours';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import { findSmoothAreas } from '../../../../../src/compression/domain/smooth-areas';
import { painted, word } from '../../../../support/images';

const [width, height] = [96, 64];
const PURE = [255, 0, 0, 255];
const KEPT: KeptColours = { exact: new Set([word(PURE)]), hidden: 0, isHiddenPlain: true };

const drawn = (colour: (x: number, y: number) => readonly number[]) => painted(width, height, 4, colour);
/** A ramp, of which a third is transparent, a third fades and a third is opaque, with a pure square. */
const ramp = drawn((x, y) => {
  if (x > 80 && y < 8) return PURE;
  return x < 32 ? [0, 0, 0, 0] : [x, 2 * y, 100, x < 64 ? 8 * (x - 31) - 1 : 255];
});
/** All colours are greys, and the indices of the pixels suit their alpha only. */
const GREYS = Array.from({ length: 14 }, (_, i) => [9 * i, 9 * i, 9 * i, i % 2 ? 120 : 255]);
const poor: IndexedImage = {
  width,
  height,
  palette: Uint8Array.from([[0, 0, 0, 0], ...GREYS, PURE].flat()),
  rows: painted(width + 1, height, 1, (at, y) => {
    const x = at - 1;
    return x < 32 ? 0 : x < 64 ? 2 : x > 80 && y < 8 ? 15 : 1;
  }).data,
};
function squaredErrors(image: IndexedImage, source: Pixels) {
  const { data } = toRgba(image);
  return data.reduce((sum, value, i) => sum + (value - source.data[i]) ** 2, 0);
}
function alphaFaults(image: IndexedImage, source: Pixels) {
  const { data } = toRgba(image);
  return data.filter(
    (value, i) => i % 4 === 3 && [0, 255].includes(source.data[i]) && value !== source.data[i],
  ).length;
}
function refined(palette: Uint8Array, source: Pixels) {
  const histogram = counted(source);
  return drawColours(refinePalette(palette, weigh(histogram, [1, 8, 4, 2]), KEPT), histogram.ids, source);
}
/** One pixel of the row `y`. */
function colourAt(image: IndexedImage, x: number, y = 0) {
  const at = (y * width + x) * 4;
  return [...toRgba(image).data.subarray(at, at + 4)];
}
function counted(source: Pixels) {
  return countColours(source, () => findSmoothAreas(source), KEPT);
}

it('a refined palette is much nearer, has no more colours, and keeps alphas and kept colours', () => {
  const result = refined(poor.palette, ramp);
  expect(squaredErrors(result, ramp)).toBeLessThan(squaredErrors(poor, ramp) / 10);
  expect(result.palette.length).toBeLessThanOrEqual(poor.palette.length);
  expect(alphaFaults(result, ramp)).toBe(0);
  expect(colourAt(result, 90)).toEqual(PURE);
});

it('a colour that its pixels would need least moves to where the differences are', () => {
  const spots = drawn((x, y) => (x === 50 && y === 30 ? [0, 200, 0, 255] : [x, x, x, 255]));
  // No grey needs the last two.
  const greys = [...Array.from({ length: width }, (_, x) => x), 200, 220];
  const palette = Uint8Array.from(greys.flatMap((grey) => [grey, grey, grey, 255]));
  expect(colourAt(refined(palette, spots), 50, 30)).toEqual([0, 200, 0, 255]);
});

it('a sample has each colour as often as its weight says, but at least once, and gives each its place', () => {
  const spots = drawn((x, y) => (x === 50 && y === 30 ? [0, 200, 0, 255] : x < 24 ? PURE : [9, 9, 9, 255]));
  const histogram = counted(spots);
  const sample = sampleColours(weigh(histogram, [1, 1, 1, 1]), 1024);
  const words = new Uint32Array(sample.pixels.data.buffer);
  const shares = [PURE, [0, 200, 0, 255], [9, 9, 9, 255]].map(
    (colour) => words.filter((other) => other === word(colour)).length,
  );
  expect(shares.map((count) => Math.round(count / 256))).toEqual([1, 0, expect.any(Number)]);
  expect(shares[1]).toBe(1);
  const rows = new Uint8Array((sample.pixels.width + 1) * sample.pixels.height);
  words.forEach((at, i) => {
    rows[i + Math.floor(i / sample.pixels.width) + 1] =
      at === word(PURE) ? 2 : at === word([9, 9, 9, 255]) ? 1 : 0;
  });
  const palette = Uint8Array.from([[0, 200, 0, 255], [9, 9, 9, 255], PURE].flat());
  const list = readSample(sample, { ...sample.pixels, palette, rows });
  expect(squaredErrors(drawColours(list, histogram.ids, spots), spots)).toBe(0);
});

it('samples the ids of the same pixels as those of a part', () => {
  const tall = painted(16, 400, 4, (x, y) => [x, y & 255, y >> 8, 255]);
  const histogram = counted(tall);
  const part = sampleBands(tall, 1024);
  const ids = sampleIds(histogram, tall, 1024);
  expect(part.height).toBeLessThan(400);
  const { data } = histogram.colours;
  expect([...ids].flatMap((id) => [...data.subarray(id * 4, id * 4 + 4)])).toEqual([...part.data]);
});

it('counts similar colours as one where there are too many, but no kept one; opaque and transparent ones apart', () => {
  const wide = (wordOf: (i: number) => number): Pixels => {
    const words = Uint32Array.from({ length: width * 256 }, (_, i) => wordOf(i));
    return { width, height: 256, channels: 4, data: new Uint8Array(words.buffer) };
  };
  const colours = (image: Pixels) => counted(image).colours;
  // 24 576 of red and green: two reds count as one, except the kept one.
  expect(colours(wide((i) => 0xff000000 + i)).width).toBe(128 * 96 + 1);
  const byte = (i: number, first: number) => ((i >> first) & 63) << 2;
  // 24 576 of red, green and blue, four apart: blue and red drop to 64 ÷ 2 levels each.
  expect(
    colours(wide((i) => 0xff000000 + byte(i, 0) + (byte(i, 6) << 8) + (byte(i, 12) << 16))).width,
  ).toBeLessThanOrEqual(20_000);
  const fading = colours(wide((i) => (((i % 2 ? 255 : 254) << 24) | i) >>> 0));
  const alphas = fading.data.filter((_, i) => i % 4 === 3);
  expect(new Set(alphas)).toEqual(new Set([254, 255]));
  // Half faint, half transparent, before noise that takes the lowest bit of alpha, too.
  const faint = wide((i) => (i < 999 ? (i % 2) << 24 : Math.imul(i, 0x9e3779b1) | 0xff000000) >>> 0);
  const { ids, colours: found } = counted(faint);
  expect([0, 1].map((at) => found.data[ids[at] * 4 + 3])).toEqual([0, 1]);
});

it('hashes colours differently in every process, so that nobody can make them collide', () => {
  const factors = [1, 2].map(() => {
    let factor = 0;
    jest.isolateModules(() => {
      factor = jest.requireActual<typeof indexedImage>(
        '../../../../../src/compression/domain/palette/indexed-image',
      ).HASH_FACTOR;
    });
    return factor;
  });
  expect(factors[0]).not.toBe(factors[1]);
  expect(factors.map((factor) => Math.abs(factor % 2))).toEqual([1, 1]);
});

it('dithering brings the mean of smooth areas near, and keeps alphas and kept colours', () => {
  const result = refined(poor.palette, ramp);
  const dithered = withDitheredAreas(result, ramp, {
    kept: KEPT,
    areas: findSmoothAreas(ramp),
    strength: 0.75,
  });
  const meanError = (image: IndexedImage) => {
    const { data } = toRgba(image);
    let worst = 0;
    for (let top = 16; top < height - 8; top += 8) {
      let sum = 0;
      for (let y = top; y < top + 8; y++)
        for (let x = 72; x < 80; x++)
          sum += data[(y * width + x) * 4 + 1] - ramp.data[(y * width + x) * 4 + 1];
      worst = Math.max(worst, Math.abs(sum / 64));
    }
    return worst;
  };
  expect(meanError(dithered)).toBeLessThan(meanError(result) * 0.8);
  expect(alphaFaults(dithered, ramp)).toBe(0);
  expect(colourAt(dithered, 90)).toEqual(PURE);
});

it('rare colours that a palette has lost come back, if there is room', () => {
  const isMarker = (x: number, y: number) => Math.hypot(x - 70, y - 40) < 4;
  const map = drawn((x, y) => (isMarker(x, y) ? [33, 139, 67, 255] : x < 50 ? [150, 120, 200, 255] : PURE));
  const image = indexed(drawn((x) => (x < 50 ? [150, 120, 200, 255] : PURE)))!;
  const result = withRareColours(image, map, KEPT);
  expect(result.palette).toHaveLength(3 * 4);
  expect(squaredErrors(result, map)).toBe(0);
  const full = { ...image, palette: new Uint8Array(256 * 4).fill(255) };
  expect(withRareColours(full, map, KEPT)).toEqual(full);
});
