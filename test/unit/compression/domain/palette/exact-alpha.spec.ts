import { withExactAlpha } from '../../../../../src/compression/domain/palette/exact-alpha';
import { rgbaOf } from '../../../../../src/compression/domain/palette/indexed-image';

/** One row of pixels with these colours, of which each stands for one of the palette. */
function merged(palette: readonly number[][], row: readonly number[], alphas: readonly number[]) {
  const image = {
    width: row.length,
    height: 1,
    palette: Uint8Array.from(palette.flat()),
    rows: Uint8Array.of(0, ...row),
  };
  const data = Uint8Array.from(alphas.flatMap((alpha) => [9, 9, 9, alpha]));
  const result = withExactAlpha(image, { width: row.length, height: 1, channels: 4, data });
  const pixels = rgbaOf(result).data;
  return { result, colours: row.map((_, i) => [...pixels.subarray(i * 4, i * 4 + 4)]) };
}

it('opaque pixels stay opaque and transparent ones transparent; others keep the alpha of their colour', () => {
  const { colours } = merged([[90, 60, 30, 245]], [0, 0, 0], [255, 230, 0]);
  expect(colours).toEqual([
    [90, 60, 30, 255],
    [90, 60, 30, 245],
    [90, 60, 30, 0],
  ]);
});

it('a close colour that is opaque is taken before the palette grows', () => {
  const palette = [
    [90, 60, 30, 245],
    [200, 10, 10, 255],
    [92, 61, 30, 255],
  ];
  const { result, colours } = merged(palette, [0, 0], [255, 250]);
  expect(result.palette).toHaveLength(3 * 4);
  expect(colours[0]).toEqual([92, 61, 30, 255]);
});

it('a full palette does not grow, and gives no pixel a colour that is not close', () => {
  const full = Array.from({ length: 256 }, (_, i) => [i, i, i, i % 50 === 0 ? 240 : i > 20 ? 255 : 250]);
  const { result, colours } = merged(full, [0, 100], [255, 255]);
  expect(result.palette).toHaveLength(256 * 4);
  expect(colours[0]).toEqual([0, 0, 0, 240]);
  expect(colours[1][3]).toBe(255);
  expect(Math.abs(colours[1][0] - 100)).toBe(1);
});

it('the palette of an image without transparency stays as it is', () => {
  const { result } = merged([[1, 2, 3, 255]], [0, 0], [255, 255]);
  expect(result.palette).toEqual(Uint8Array.of(1, 2, 3, 255));
});
