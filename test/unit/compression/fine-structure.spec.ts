import { FineReference } from '../../../src/compression/domain/score/fine-structure';
import { brightnessPlane, meanLight } from '../../../src/compression/domain/score/perceptual-planes';
import { pooledLoss } from '../../../src/compression/domain/score/window-ssim';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { photoPixels, randomNumbers } from '../../support/images';

function noisy(pixels: Pixels, most: number, seed: number): Pixels {
  const random = randomNumbers(seed);
  const data = pixels.data.map((value) => Math.max(0, Math.min(255, value + (random() - 0.5) * most)));
  return { ...pixels, data };
}

/** More than are handed over at a time, every remainder by 4, and the smallest. */
const SIZES = [
  [8, 8],
  [9, 8],
  [8, 11],
  [13, 10],
  [64, 64],
  [101, 67],
  [7, 40],
  [40, 3],
  [1, 1],
  [2003, 42],
  [6000, 9],
  [641, 202],
] as const;

it.each(SIZES)('says of %i x %i px what the plain way says', (width, height) => {
  const a = photoPixels(width, height);
  const b = noisy(a, 60, width + height);
  const reference = new FineReference(a);
  const { loss, light } = reference.compare(b);
  const plain = pooledLoss(brightnessPlane(a), brightnessPlane(b), 4);
  expect(plain).toBeGreaterThan(0.001);
  expect(Math.abs(loss / plain - 1)).toBeLessThan(1e-9);
  for (const [pixels, found] of [[a, reference.light] as const, [b, light] as const]) {
    const expected = meanLight(pixels);
    expect([found.width, found.height]).toEqual([expected.width, expected.height]);
    found.channels.forEach((channel, c) => {
      const furthest = Math.max(...channel.map((value, k) => Math.abs(value - expected.channels[c][k])));
      expect(furthest).toBeLessThan(1e-6);
    });
  }
});

const lossBetween = (a: Pixels, b: Pixels) => new FineReference(a).compare(b).loss;

it('finds no loss at all between a picture and itself, and none of an earlier picture', () => {
  const [large, small] = [photoPixels(900, 300), photoPixels(24, 16)];
  expect(lossBetween(large, large)).toBe(0);
  const before = lossBetween(small, noisy(small, 40, 1));
  lossBetween(large, noisy(large, 200, 2));
  expect(lossBetween(small, noisy(small, 40, 1))).toBe(before);
  expect(lossBetween(small, small)).toBe(0);
});

it('sees black and white as they are, and every difference at the edges', () => {
  const flat = (value: number): Pixels => ({
    width: 18,
    height: 18,
    channels: 3,
    data: new Uint8Array(18 * 18 * 3).fill(value),
  });
  expect(new FineReference(flat(255)).light.channels[0][0]).toBe(1);
  expect(new FineReference(flat(0)).light.channels[2][0]).toBe(0);
  for (const pixel of [0, 17, 17 * 18, 18 * 18 - 1]) {
    const spotted = flat(128);
    spotted.data[pixel * 3 + 1] = 200;
    expect(lossBetween(flat(128), spotted)).toBeGreaterThan(0.001);
  }
});
