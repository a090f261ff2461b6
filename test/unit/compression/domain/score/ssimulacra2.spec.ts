/** The streaming SSIMULACRA2 against that of test/judges, which holds whole planes and shares no code with it. */
import { asRgba, type Pixels } from '../../../../../src/compression/domain/pixels';
import { ssimulacra2Distance, ssimulacra2Of } from '../../../../../src/compression/domain/score/ssimulacra2';
import { painted, randomNumbers } from '../../../../support/images';

type Judge = (a: Omit<Pixels, 'channels'>, b: Omit<Pixels, 'channels'>) => number;
let judge: Judge;
beforeAll(async () => {
  ({ ssimulacra2: judge } = await import('../../../../judges/ssimulacra2.mjs'));
});

function picture(width: number, height: number): Pixels {
  const random = randomNumbers(7);
  return painted(width, height, 3, (x, y) =>
    [0, 1, 2].map((c) => {
      const wave = 60 * Math.sin(x / (9 + c)) + 50 * Math.cos(y / (7 + 2 * c));
      const edge = (x + 2 * y) % 64 < 32 ? 40 : 0;
      return Math.max(0, Math.min(255, 110 + wave + edge + 8 * random()));
    }),
  );
}

const coarser = (image: Pixels, step: number): Pixels => ({
  ...image,
  data: image.data.map((value, i) => Math.min(255, Math.round(value / step) * step + ((i >> 5) & 1))),
});

it.each([
  [640, 300, 6],
  [333, 257, 12],
  [256, 256, 3],
  [200, 77, 8],
  [64, 61, 8],
  [31, 90, 16],
  [8, 8, 8],
])('%d × %d px, in steps of %d, have the same SSIMULACRA2 as by whole planes', (width, height, step) => {
  const source = picture(width, height);
  const candidate = coarser(source, step);
  expect(
    Math.abs(ssimulacra2Of(ssimulacra2Distance(source, candidate)) - judge(source, candidate)),
  ).toBeLessThan(0.1);
});

it.each([
  ['one pixel', 320, 200, (x: number, y: number) => x === 133 && y === 77],
  ['the last column and row', 333, 257, (x: number, y: number) => x === 332 || y === 256],
  ['two distant bands', 200, 300, (x: number, y: number) => (y > 40 && y < 44) || (x > 150 && y > 250)],
  ['a corner', 96, 96, (x: number, y: number) => x + y < 5],
])('is the same where only %s of %d × %d px differs', (_, width, height, isChanged) => {
  const source = picture(width, height);
  const data = source.data.map((value, i) => {
    const pixel = Math.floor(i / 3);
    return isChanged(pixel % width, Math.floor(pixel / width)) ? 255 - value : value;
  });
  const candidate = { ...source, data };
  const score = ssimulacra2Of(ssimulacra2Distance(source, candidate));
  expect(score).toBeLessThan(100);
  expect(Math.abs(score - judge(source, candidate))).toBeLessThan(0.1);
});

it('ignores alpha, and compares RGB with RGBA', () => {
  const source = picture(96, 64);
  const candidate = coarser(source, 8);
  const veiled = asRgba(candidate);
  for (let at = 3; at < veiled.data.length; at += 4) veiled.data[at] = at & 255;
  expect(ssimulacra2Distance(source, veiled)).toBe(ssimulacra2Distance(source, candidate));
});

it('is 100 for equal images, whatever was compared before', () => {
  ssimulacra2Distance(picture(300, 40), coarser(picture(300, 40), 40));
  expect(ssimulacra2Of(ssimulacra2Distance(picture(120, 90), picture(120, 90)))).toBe(100);
});

it('weighs a part as its whole is weighed', () => {
  const whole = picture(320, 320);
  const rows = { ...whole, height: 96, data: whole.data.subarray(0, 320 * 96 * 3) };
  const distanceOf = (image: Pixels) => ssimulacra2Distance(image, coarser(image, 10), whole);
  expect(distanceOf(rows) / distanceOf(whole)).toBeCloseTo(1, 0);
  expect(distanceOf(rows)).not.toBe(ssimulacra2Distance(rows, coarser(rows, 10)));
});
