/** Changes of quiet ground that a mean forgives: stars that fade, steps in a gradient, and another tint. */
import sharp from 'sharp';
import { photoJudge } from '../../../../src/compression/domain/judge';
import { SmoothGround } from '../../../../src/compression/domain/smooth-ground';
import { painted, photoPixels, rawImage, samplesOf } from '../../../support/images';

const [WIDTH, HEIGHT] = [256, 192];

const drawn = (colourAt: (x: number, y: number) => number | readonly number[]) =>
  painted(WIDTH, HEIGHT, 3, colourAt);

/** 2×2 px in each square of 32 px. */
const isStar = (x: number, y: number) => (x % 32) >> 1 === 8 && (y % 32) >> 1 === 8;
const sky = (star: number) => drawn((x, y) => (isStar(x, y) ? star : [10, 12, 20]));
/** Pale blue, with steps of `levels` of blue, on average of the same tint; with less green, saturated. */
const gradient = (levels: number, green = 210) =>
  drawn((x) => [
    200,
    green,
    230 + levels * Math.floor(x / (8 * levels)) + (levels >> 1) - Math.floor(x / 32),
  ]);

/** A dusk sky with a star in each square of 32 px. */
const slope = (star: number) => drawn((x, y) => 40 + Math.round(x / 2) + (isStar(x, y) ? star : 0));
/** A gradient of 2.5 of 255 per pixel, in steps of `levels`. */
const steep = (levels: number) =>
  drawn((x) => Math.round(levels * (Math.floor((2.5 * (x % 96)) / levels) + 0.5)));
const waves = (height: number, x: number, y: number) =>
  Math.round(height * Math.sin(x * 0.8) * Math.sin(y * 0.8));
/** A beige backdrop; with noise, none of it is even. */
const backdrop = (red: number, noise = 0) =>
  drawn((x, y) => [red, 214, 205].map((value) => value + waves(noise, x, y)));
/** A pixel in each square of 32 px. */
const pixelsOf = (grey: number) => drawn((x, y) => (x % 32 === 11 && y % 32 === 11 ? grey : 120));
const grain = (height: number) => drawn((x, y) => 120 + waves(height, x, y));
/** A line of 2 px on pale paper. */
const line = (grey: number) => drawn((x, y) => ((x + 2 * y) % 64 < 2 ? grey : 250));
/** Red dots of 2×2 px on grey, as many as `dots`, that keep a share of their colour and all of their luma. */
const dotted = (share: number, dots = 48) =>
  drawn((x, y) => {
    const isDot = isStar(x, y) && (y >> 5) * 8 + (x >> 5) < dots;
    const [grey, chroma] = [76, isDot ? share : 0];
    return isDot ? [grey + 179 * chroma, grey - 76 * chroma, grey - 76 * chroma] : 150;
  });

it.each([
  ['stars that keep most of their contrast', sky(200), sky(190), true],
  ['stars that keep half of it', sky(200), sky(105), false],
  ['spots that hardly show', sky(14), sky(11), true],
  ['stars that fade on a slope', slope(22), slope(6), false],
  ['bands in a steep gradient', steep(1), steep(12), false],
  ['single pixels that fade', pixelsOf(190), pixelsOf(140), false],
  ['soft grain that goes', grain(3), grain(0), true],
  ['a faint line that stays', line(242), line(243), true],
  ['a faint line that fades', line(242), line(246), false],
  ['dots that keep their colour', dotted(1), dotted(0.8), true],
  ['dots that turn grey', dotted(1), dotted(0.5), false],
  ['a few dots that turn grey', dotted(1, 7), dotted(0.5, 7), true],
  ['a gradient whose steps grow by up to 3 levels', gradient(1), gradient(4), true],
  ['a gradient whose steps grow by more', gradient(1), gradient(7), false],
  ['a saturated gradient whose steps grow as much', gradient(1, 20), gradient(7, 20), true],
  ['a ground whose tint changes by one level', backdrop(222), backdrop(223), true],
  ['a ground whose tint changes by two', backdrop(222), backdrop(220), false],
  ['a noisy ground whose tint changes by two', backdrop(222, 3), backdrop(220, 3), false],
  ['a saturated ground that changes by three', backdrop(20), backdrop(23), true],
])('judges %s', (_, source, result, looksTheSame) => {
  const ground = new SmoothGround(source);
  expect(ground.measure(source)).toBe(0);
  expect(ground.measure(result) <= 1).toBe(looksTheSame);
});

it('looks at the tint alone where details are too small to be seen', () => {
  expect(new SmoothGround(sky(200), 2).measure(sky(105))).toBe(0);
  expect(new SmoothGround(backdrop(222), 2).measure(backdrop(220))).toBeGreaterThan(1);
  const { score, searchScore } = photoJudge(sky(60), 0.0086, 2).judge(sky(50));
  expect(searchScore).toBe(score);
});

it('compares a grey image with a result of three channels', () => {
  const { data, ...size } = gradient(1);
  const grey = { ...size, channels: 1 as const, data: data.filter((_, i) => i % 3 === 0) };
  const result = { ...size, data: data.map((_, i) => data[i - (i % 3)]) };
  expect(new SmoothGround(grey).measure(result)).toBe(0);
});

it('says nothing about a photo without such ground', async () => {
  const photo = photoPixels(WIDTH, HEIGHT);
  const jpeg = await rawImage(photo).jpeg({ quality: 20 }).toBuffer();
  expect(new SmoothGround(photo).measure(await samplesOf(sharp(jpeg)))).toBe(0);
});

it.each([
  [0.0086, true],
  [0.05, false],
])('a search for a loss of %d goes on while stars lose a fifth: %s', (allowedLoss, goesOn) => {
  const { score, searchScore } = photoJudge(sky(60), allowedLoss).judge(sky(50));
  expect(searchScore < Math.min(score, 1 - allowedLoss)).toBe(goesOn);
});
