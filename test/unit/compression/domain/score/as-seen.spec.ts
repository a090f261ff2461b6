import {
  asSeen,
  isMadeFor,
  judgedDensity,
  seenSize,
} from '../../../../../src/compression/domain/score/as-seen';
import { ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { painted } from '../../../../support/images';

const grey = (width: number, height: number, at: (x: number, y: number) => number) =>
  painted(width, height, 1, at);

const linear = (sample: number) =>
  sample / 255 <= 0.04045 ? sample / 255 / 12.92 : ((sample / 255 + 0.055) / 1.055) ** 2.4;
const shown = (light: number) =>
  Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));

it('averages light, not samples: black and white lines become the sample of half the light', () => {
  const lines = grey(64, 64, (_, y) => (y % 2 === 0 ? 0 : 255));
  expect(new Set(asSeen(lines, { width: 32, height: 32 }).data)).toEqual(new Set([188]));
});

it.each([
  [1.5, 96, 60],
  [2, 64, 48],
  [2, 65, 51],
  [2.5, 101, 77],
  [3, 100, 50],
])('at density %d gives each pixel the mean light of its area', (density, width, height) => {
  const image = grey(width, height, (x, y) => (37 * x + 91 * y + x * y) % 256);
  const seen = seenSize(image, density);
  const reduced = asSeen(image, seen);
  expect({ width: reduced.width, height: reduced.height }).toEqual(seen);
  // Of a whole density, the last pixel covers what remains.
  const covered = (place: number, length: number, of: number) => {
    const scale = Number.isInteger(density) ? density : length / of;
    return [place * scale, place === of - 1 ? length : (place + 1) * scale];
  };
  for (const [column, row] of [
    [0, 0],
    [7, 5],
    [seen.width - 1, seen.height - 1],
  ]) {
    const [left, right] = covered(column, width, seen.width);
    const [top, bottom] = covered(row, height, seen.height);
    let [light, area] = [0, 0];
    for (let y = 0; y < height; y++) {
      const rows = Math.max(0, Math.min(y + 1, bottom) - Math.max(y, top));
      for (let x = 0; x < width; x++) {
        const weight = rows * Math.max(0, Math.min(x + 1, right) - Math.max(x, left));
        light += weight * linear(image.data[y * width + x]);
        area += weight;
      }
    }
    expect(Math.abs(reduced.data[row * seen.width + column] - shown(light / area))).toBeLessThanOrEqual(1);
  }
});

it('leaves an image of density 1 alone, and keeps colours apart', () => {
  const image = painted(2, 2, 3, () => [9, 0, 0]);
  expect(asSeen(image, seenSize(image, 1))).toBe(image);
  expect([...asSeen(image, { width: 1, height: 1 }).data]).toEqual([9, 0, 0]);
});

it.each([
  [3, 64, 48],
  [3, 65, 51],
  [4, 64, 51],
  [4, 65, 48],
] as const)(
  'each of %d channels is reduced as a grey image is, from %d × %d px',
  (channels, width, height) => {
    const at = (x: number, y: number, c: number) => (37 * x + 91 * y + x * y + 60 * c) % 256;
    const image = painted(width, height, channels, (x, y) =>
      [0, 1, 2, 3].slice(0, channels).map((c) => at(x, y, c)),
    );
    const seen = seenSize(image, 2);
    for (const channel of [0, 1, 2]) {
      const alone = asSeen(
        grey(width, height, (x, y) => at(x, y, channel)),
        seen,
      );
      expect(asSeen(image, seen).data.filter((_, i) => i % 3 === channel)).toEqual(alone.data);
    }
  },
);

it('judges small images at the largest density that their size allows', () => {
  expect(judgedDensity({ width: 1600, height: 1200 }, 2)).toBe(2);
  expect(judgedDensity({ width: 64, height: 500 }, 3)).toBe(2);
  expect(judgedDensity({ width: 50, height: 50 }, 2)).toBe(1.5);
  expect(judgedDensity({ width: 16, height: 16 }, 4)).toBe(1);
});

it('a result for a dense display needs no further encode there or on denser ones', () => {
  expect([isMadeFor(1, 1), isMadeFor(2, 2), isMadeFor(2, 3)]).toEqual([true, true, true]);
  expect([isMadeFor(2, 1), isMadeFor(1, 2), isMadeFor(3, 2)]).toEqual([false, false, false]);
});

it('a pattern of single pixels counts at density 1, and not where it is not seen', () => {
  const flat = grey(256, 256, () => 188);
  // Two samples whose mean light is that of the flat image.
  const fine = grey(256, 256, (x, y) => ((x + y) % 2 === 0 ? 0 : 255));
  const loss = (density: number) => 1 - new ScoreReference(flat, density).score(fine);
  expect(loss(1)).toBeGreaterThan(0.05);
  expect(loss(2)).toBeLessThan(1e-4);
});
