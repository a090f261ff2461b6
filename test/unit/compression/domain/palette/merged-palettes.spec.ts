import type { KeptColours } from '../../../../../src/compression/domain/kept-colours';
import { MergedPalettes } from '../../../../../src/compression/domain/palette/merged-palettes';
import { word } from '../../../../support/images';

const NONE: KeptColours = { exact: new Set(), hidden: 0, isHiddenPlain: true };
/** Adds up to 14 for a difference of 1 in red, green and blue. */
const grey = (level: number, alpha = 255) => [level, level, level, alpha];

/** Merges a palette that has all of the colours. */
function merge(colours: number[][], weights: number[], kept = NONE, fewest = 1) {
  const data = Uint8Array.from(colours.flat());
  const all = { width: colours.length, height: 1, channels: 4, data } as const;
  const entries = Uint16Array.from(colours.keys());
  const palettes = new MergedPalettes(
    { palette: data, entries },
    { colours: all, weights: Float64Array.from(weights) },
    kept,
    fewest,
  );
  const paletteOf = (count: number) => {
    const palette = palettes.paletteOf(count);
    return Array.from({ length: palette.length / 4 }, (_, i) => [...palette.subarray(i * 4, i * 4 + 4)]);
  };
  return { palettes, paletteOf };
}

it('merges the colours that lose least, in the mean of their pixels', () => {
  const { palettes, paletteOf } = merge([grey(0), grey(100), grey(104), grey(200)], [100, 3, 1, 100]);
  expect(paletteOf(4)).toHaveLength(4);
  expect(paletteOf(3)).toEqual([grey(0), grey(101), grey(200)]);
  expect(palettes.errorOf(4)).toBe(0);
  expect(palettes.errorOf(3)).toBeCloseTo((14 * (3 * 1 + 1 * 9)) / 204);
});

it('gives the error of every number of colours', () => {
  const levels = Array.from({ length: 40 }, (_, i) => (i * i * 7) % 251);
  const weights = levels.map((_, i) => 1 + (i % 5));
  const { palettes, paletteOf } = merge(
    levels.map((level) => grey(level)),
    weights,
  );
  expect([palettes.least, palettes.most]).toEqual([1, 40]);
  for (let count = 40; count > 1; count--) {
    expect(paletteOf(count)).toHaveLength(count);
    expect(palettes.errorOf(count - 1)).toBeGreaterThanOrEqual(palettes.errorOf(count));
  }
  const mean = levels.reduce((sum, level, i) => sum + weights[i] * level, 0) / 120;
  const variance = levels.reduce((sum, level, i) => sum + weights[i] * (level - mean) ** 2, 0) / 120;
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(120);
  expect(palettes.errorOf(1) / (14 * variance)).toBeCloseTo(1, 3);
  expect(palettes.errorOf(0)).toBe(Infinity);
});

it('changes no kept colour, merges others with it, and keeps two of them apart', () => {
  const kept = { ...NONE, exact: new Set([word(grey(50)), word(grey(52))]) };
  const { palettes, paletteOf } = merge([grey(50), grey(52), grey(54), grey(90)], [1, 1, 500, 1], kept);
  expect(palettes.least).toBe(2);
  expect(paletteOf(2)).toEqual([grey(50), grey(52)]);
});

it('merges no opaque colour with others, and no transparent one', () => {
  const colours = [grey(50), grey(50, 254), grey(50, 252), grey(0, 0), grey(51)];
  const { palettes, paletteOf } = merge(colours, [1, 1, 1, 1, 1]);
  expect(palettes.least).toBe(2);
  expect(paletteOf(3)).toEqual([grey(51), grey(50, 253), grey(0, 0)]);
  expect(paletteOf(2).map(([, , , alpha]) => alpha)).toEqual([255, 0]);
});

it('merges no further than asked', () => {
  const { palettes, paletteOf } = merge([grey(0), grey(9), grey(90), grey(99)], [1, 1, 1, 1], NONE, 3);
  expect(palettes.least).toBe(3);
  expect(paletteOf(palettes.least)).toHaveLength(3);
});
