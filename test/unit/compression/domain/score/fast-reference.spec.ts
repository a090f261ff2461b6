import type { Dimensions } from '../../../../../src/compression/domain/dimensions';
import { crop, type Pixels } from '../../../../../src/compression/domain/pixels';
import { SMALL_PLANES, type Comparison } from '../../../../../src/compression/domain/score/comparison';
import { FastReference } from '../../../../../src/compression/domain/score/fast-reference';
import { PlainReference } from '../../../../../src/compression/domain/score/plain-reference';
import { computeLosses, ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { photoPixels, pixelsOf, randomNumbers } from '../../../../support/images';

function noisy(pixels: Pixels, most: number, seed: number): Pixels {
  const random = randomNumbers(seed);
  const data = pixels.data.map((value) => Math.max(0, Math.min(255, value + (random() - 0.5) * most)));
  return { ...pixels, data };
}

/** A shift of all values: equal structure, different means. */
function brighter(pixels: Pixels, by: number): Pixels {
  return { ...pixels, data: pixels.data.map((value) => Math.min(255, value + by)) };
}

const flat = (width: number, height: number, value: number) => pixelsOf(width, height, 3, () => value);

const lossesBetween = (a: Pixels, b: Pixels) => new FastReference(a).compare(b, computeLosses)[0];

/** Several batches, all remainders by 4 of the image, its quarter and its eighth, and the smallest. */
const SIZES = [
  [64, 64],
  [65, 64],
  [64, 67],
  [66, 90],
  [101, 67],
  [84, 76],
  [104, 112],
  [2003, 74],
  [6000, 69],
  [641, 202],
] as const;

/** The plain reference reads a table, with an error up to 1.1e-6 at black; the fast one computes a cube root. */
const TOLERANCE = 3e-4;

it.each(SIZES)('computes the same losses of %i x %i px as the plain reference', (width, height) => {
  const a = photoPixels(width, height);
  for (const b of [noisy(a, 60, width + height), brighter(a, 9)]) {
    const plain = new PlainReference(a).compare(b, computeLosses)[0];
    const fast = lossesBetween(a, b);
    plain.forEach((loss, term) => expect(Math.abs(fast[term] - loss)).toBeLessThan(TOLERANCE * loss + 1e-7));
    // Luminance at full size is read from the same table, and floats are summed over four values only.
    expect(Math.abs(fast[0] / plain[0] - 1)).toBeLessThan(2e-5);
  }
});

it('computes the same small planes as the plain reference, which shows in how far blocks differ', () => {
  const a = photoPixels(101, 93);
  const b = noisy(a, 60, 1);
  const differences = (compared: Comparison) =>
    SMALL_PLANES.map((name) => {
      const [original, candidate] = compared.planes(name);
      expect(original.data.length).toBe(original.width * original.height);
      return Array.from(original.data, (value, i) => candidate.data[i] - value);
    });
  const [plain] = new PlainReference(a).compare(b, differences);
  const [fast] = new FastReference(a).compare(b, differences);
  plain.forEach((expected, plane) => {
    expect(Math.max(...expected)).toBeGreaterThan(0.001);
    expect(fast[plane].length).toBe(expected.length);
    expected.forEach((difference, i) => expect(fast[plane][i]).toBeCloseTo(difference, 4));
  });
});

it('finds no loss at all between an image and itself, and nothing of an earlier image', () => {
  const [large, small] = [photoPixels(902, 303), photoPixels(70, 66)];
  const none = [0, 0, 0, 0, 0, 0];
  expect(lossesBetween(large, large)).toEqual(none);
  const before = lossesBetween(small, noisy(small, 40, 1));
  lossesBetween(large, noisy(large, 200, 2));
  expect(lossesBetween(small, noisy(small, 40, 1))).toEqual(before);
  expect(lossesBetween(small, small)).toEqual(none);
  for (const value of [0, 1, 128, 255])
    expect(lossesBetween(flat(82, 90, value), flat(82, 90, value))).toEqual(none);
});

it('agrees with the plain reference for black, white, and every difference at the edges', () => {
  for (const [a, b] of [
    [flat(66, 66, 0), flat(66, 66, 255)],
    [flat(66, 66, 255), noisy(flat(66, 66, 255), 20, 3)],
    [flat(66, 66, 0), noisy(flat(66, 66, 0), 20, 3)],
  ]) {
    const [plain] = new PlainReference(a).compare(b, computeLosses);
    lossesBetween(a, b).forEach((loss, term) => expect(Math.abs(loss - plain[term])).toBeLessThan(TOLERANCE));
  }
  for (const pixel of [0, 65, 65 * 66, 66 * 66 - 1]) {
    const spotted = flat(66, 66, 128);
    spotted.data[pixel * 3 + 1] = 200;
    expect(lossesBetween(flat(66, 66, 128), spotted)[0]).toBeGreaterThan(0.001);
  }
});

it.each([
  [{ width: 64, height: 64 }, FastReference],
  [{ width: 96, height: 64 }, FastReference],
  [{ width: 48, height: 32 }, PlainReference],
] as const)('compares each tile of %j as an image of its own', (tile: Dimensions, Reference) => {
  const mosaic = photoPixels(192, 192);
  const candidate = noisy(mosaic, 30, 5);
  const found = new Reference(mosaic, tile).compare(candidate, computeLosses);
  const expected: number[][] = [];
  for (let top = 0; top < 192; top += tile.height) {
    for (let left = 0; left < 192; left += tile.width) {
      const part = (pixels: Pixels) => crop(pixels, { left, top }, tile);
      expected.push(new ScoreReference(part(mosaic)).losses(part(candidate)));
    }
  }
  expect(found).toEqual(expected);
});
