import type { KeptColours } from '../../../../../src/compression/domain/kept-colours';
import { withExactColours } from '../../../../../src/compression/domain/palette/exact-colours';
import { toRgba } from '../../../../../src/compression/domain/palette/indexed-image';

const word = (colour: readonly number[]) => new Uint32Array(Uint8Array.from(colour).buffer)[0];
const NONE: KeptColours = { exact: new Set(), hidden: word([7, 8, 9, 0]), isHiddenPlain: true };

/** One row of pixels with these colours, each merged with an index of the palette. */
function merged(palette: number[][], row: readonly number[], source: number[][], kept = NONE) {
  const image = {
    width: row.length,
    height: 1,
    palette: Uint8Array.from(palette.flat()),
    rows: Uint8Array.of(0, ...row),
  };
  const data = Uint8Array.from(source.flat());
  const result = withExactColours(image, { width: row.length, height: 1, channels: 4, data }, kept);
  const pixels = toRgba(result).data;
  return { result, colours: row.map((_, i) => [...pixels.subarray(i * 4, i * 4 + 4)]) };
}
const veiled = (...alphas: number[]) => alphas.map((alpha) => [9, 9, 9, alpha]);

it('opaque pixels stay opaque and transparent ones get the hidden colour; others keep the alpha of their colour', () => {
  const { colours } = merged([[90, 60, 30, 245]], [0, 0, 0], veiled(255, 230, 0));
  expect(colours).toEqual([
    [90, 60, 30, 255],
    [90, 60, 30, 245],
    [7, 8, 9, 0],
  ]);
});

it('a close colour that is opaque is taken before the palette grows', () => {
  const palette = [
    [90, 60, 30, 245],
    [200, 10, 10, 255],
    [92, 61, 30, 255],
  ];
  const { colours } = merged(palette, [0, 0, 2, 2], veiled(255, 250, 255, 255));
  expect(colours[0]).toEqual([92, 61, 30, 255]);
});

it('alphas are exact where the palette is full, whatever colour that takes', () => {
  const full = Array.from({ length: 256 }, (_, i) => [i, i, i, 250]);
  const indices = full.map((_, i) => i);
  const { result, colours } = merged(
    full,
    [...indices, 3, 200, 201],
    [...veiled(...indices.map(() => 249)), ...veiled(255, 255, 0)],
  );
  expect(result.palette).toHaveLength(256 * 4);
  expect(colours.slice(256).map(([, , , alpha]) => alpha)).toEqual([255, 255, 0]);
  expect(colours.slice(0, 256).every(([, , , alpha]) => alpha > 0)).toBe(true);
});

it('a full palette gives up the colour that its pixels miss least, not the rarest', () => {
  const greys = Array.from({ length: 255 }, (_, i) => [i, i, i, 255]);
  const [green, red] = [
    [0, 255, 0, 255],
    [255, 0, 0, 255],
  ];
  const indices = greys.map((_, i) => i);
  const kept = { ...NONE, exact: new Set([word(red)]) };
  const { result, colours } = merged(
    [...greys, green],
    [...indices, ...indices, 255, 0],
    [...greys, ...greys, green, red],
    kept,
  );
  expect(result.palette).toHaveLength(256 * 4);
  expect(colours.slice(-2)).toEqual([green, red]);
});

it('kept colours are exact, and what was merged with them keeps the merged colour or takes a close one', () => {
  const kept = { ...NONE, exact: new Set([word([26, 26, 26, 255]), word([255, 0, 0, 255])]) };
  const source = [
    [26, 26, 26, 255],
    [36, 36, 36, 255],
    [255, 0, 0, 255],
    [150, 0, 0, 255],
  ];
  const palette = [
    [30, 30, 30, 255],
    [230, 0, 0, 255],
  ];
  const { colours } = merged(palette, [0, 0, 1, 1], source, kept);
  expect(colours).toEqual([
    [26, 26, 26, 255],
    [26, 26, 26, 255],
    [255, 0, 0, 255],
    [230, 0, 0, 255],
  ]);
});

it('a palette that is exact already stays as it is', () => {
  const palette = [
    [1, 2, 3, 255],
    [9, 9, 9, 255],
    [50, 60, 70, 90],
  ];
  const kept = { ...NONE, exact: new Set([word([9, 9, 9, 255])]) };
  const { result } = merged(palette, [1, 0, 2], [[9, 9, 9, 255], [3, 2, 1, 255], ...veiled(80)], kept);
  expect(result.palette).toEqual(Uint8Array.from(palette.flat()));
  expect([...result.rows]).toEqual([0, 1, 0, 2]);
});
