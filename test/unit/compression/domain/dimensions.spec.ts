import { fitWithin, uprightSize } from '../../../../src/compression/domain/dimensions';

it.each([
  ['fits', 3840, 2160, 3840, 2160],
  ['wide', 5120, 2880, 3840, 2160],
  ['tall', 800, 9250, 332, 3840],
  ['one pixel over', 3841, 100, 3840, 100],
  ['a line', 100_000, 1, 3840, 1],
  ['a square', 4000, 4000, 3840, 3840],
])('%s: %i x %i becomes %i x %i', (_, width, height, w, h) => {
  expect(fitWithin({ width, height }, 3840)).toEqual({ width: w, height: h });
});

it('swaps the sides for the orientations that lie on their side', () => {
  const stored = { width: 3, height: 2 };
  expect(([1, 2, 3, 4] as const).map((o) => uprightSize(stored, o))).toEqual(Array(4).fill(stored));
  const turned = { width: 2, height: 3 };
  expect(([5, 6, 7, 8] as const).map((o) => uprightSize(stored, o))).toEqual(Array(4).fill(turned));
});
