import { ssim } from 'ssim.js';
import { asRgba, type Pixels } from '../../../../../src/compression/domain/pixels';
import { ScoreReference, TERMS } from '../../../../../src/compression/domain/score/ssim-score';
import { photoPixels, pixelsOf, randomNumbers } from '../../../../support/images';

function changed(pixels: Pixels, change: (value: number, index: number) => number): Pixels {
  const data = Uint8Array.from(pixels.data, (v, i) => Math.max(0, Math.min(255, Math.round(change(v, i)))));
  return { ...pixels, data };
}

const photo = photoPixels(160, 120);
const reference = new ScoreReference(photo);

it('is exactly 1 for identical pixels, and only for them', () => {
  expect(reference.score(photo)).toBe(1);
  const oneSample = changed(photo, (v, i) => (i === 9001 ? v ^ 16 : v));
  expect(reference.score(oneSample)).toBeLessThan(1);
});

it('falls as noise grows', () => {
  const scores = [1, 2, 4, 8, 16, 32].map((amount) => {
    const random = randomNumbers(3);
    return reference.score(changed(photo, (v) => v + (random() - 0.5) * 2 * amount));
  });
  expect([...scores].sort((a, b) => b - a)).toEqual(scores);
  expect(scores.at(-1)).toBeLessThan(0.95);
});

it('gives the worst region most weight: damage in one corner costs more than the same damage spread out', () => {
  const size = photo.data.length;
  const random = randomNumbers(5);
  const noise = Array.from({ length: size }, () => (random() - 0.5) * 40);
  const inOneCorner = reference.score(changed(photo, (v, i) => v + (i < size / 16 ? noise[i] * 4 : 0)));
  const everywhere = reference.score(changed(photo, (v, i) => v + noise[i]));
  expect(inOneCorner).toBeLessThan(everywhere);
});

it.each([
  [1, 1],
  [1, 40],
  [40, 1],
  [7, 7],
  [8, 8],
  [9, 13],
  [33, 2],
])('is a number from 0 to 1 at %i x %i', (width, height) => {
  const small = photoPixels(width, height);
  const own = new ScoreReference(small);
  const score = own.score(changed(small, (v) => v + 20));
  expect(own.score(small)).toBe(1);
  expect(score).toBeGreaterThanOrEqual(0);
  expect(score).toBeLessThan(1);
});

it('sees damage at the right and bottom edges that windows of 8 px do not reach evenly', () => {
  const odd = photoPixels(43, 37);
  const lastPixel = changed(odd, (v, i) => (i >= odd.data.length - 3 ? v ^ 128 : v));
  expect(new ScoreReference(odd).score(lastPixel)).toBeLessThan(1);
});

it('refuses images of another size', () => {
  expect(() => reference.score(photoPixels(120, 160))).toThrow(RangeError);
});

it('agrees with ssim.js, an independent implementation, on which damage is worse', () => {
  const rgba = (pixels: Pixels) => ({ ...pixels, data: Uint8ClampedArray.from(asRgba(pixels).data) });
  const random = randomNumbers(11);
  const damaged = [2, 5, 9, 15, 25].map((amount) => changed(photo, (v) => v + (random() - 0.5) * 2 * amount));
  const ours = damaged.map((candidate) => reference.score(candidate));
  const theirs = damaged.map((candidate) => ssim(rgba(photo), rgba(candidate), { downsample: false }).mssim);
  const order = (values: number[]) => values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
  expect(order(ours)).toEqual(order(theirs));
});

it('detects every kind of damage in the term that is named after it', () => {
  const lossOf = (name: string, candidate: Pixels) =>
    reference.losses(candidate)[TERMS.findIndex((term) => term.name === name)];
  const inChannel = (channel: number, change: (x: number, y: number) => number) =>
    changed(photo, (v, i) => {
      const pixel = Math.floor(i / 3);
      return i % 3 === channel ? v + change(pixel % photo.width, Math.floor(pixel / photo.width)) : v;
    });
  const checkerboard = (cell: number) => (x: number, y: number) =>
    (Math.floor(x / cell) + Math.floor(y / cell)) % 2 ? 20 : -20;
  // Single-pixel detail disappears at a quarter of the size; cells of eight pixels remain.
  expect(lossOf('coarse structure', inChannel(1, checkerboard(1)))).toBeLessThan(0.001);
  expect(lossOf('coarse structure', inChannel(1, checkerboard(8)))).toBeGreaterThan(0.01);
  expect(lossOf('fine structure', inChannel(1, checkerboard(1)))).toBeGreaterThan(0.1);
  expect(lossOf('blue structure', inChannel(2, checkerboard(16)))).toBeGreaterThan(
    lossOf('red-green structure', inChannel(2, checkerboard(16))),
  );
  expect(lossOf('red-green structure', inChannel(0, checkerboard(8)))).toBeGreaterThan(0.05);
  expect(lossOf('blue blocking', inChannel(2, checkerboard(8)))).toBeGreaterThan(0);
});

it('treats grey as colourless, and ignores alpha', () => {
  const grey = (pixel: number) => photo.data[pixel * 3];
  const asGrey = pixelsOf(160, 120, 1, grey);
  const asRgb = pixelsOf(160, 120, 3, (i) => grey(Math.floor(i / 3)));
  const veiled = pixelsOf(160, 120, 4, (i) => (i % 4 === 3 ? i % 256 : grey(i >> 2)));
  expect(new ScoreReference(asGrey).score(asRgb)).toBe(1);
  expect(new ScoreReference(asGrey).score(veiled)).toBe(1);
  expect(new ScoreReference(veiled).score(asRgb)).toBe(1);
});
