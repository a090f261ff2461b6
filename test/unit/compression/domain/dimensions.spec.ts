import {
  coveringSize,
  fitWithin,
  largestFit,
  uprightSize,
} from '../../../../src/compression/domain/dimensions';

it.each([
  ['fits', 3840, 2160, 3840, 2160],
  ['wide', 5120, 2880, 3840, 2160],
  ['tall', 800, 9250, 332, 3840],
  ['one pixel over', 3841, 100, 3840, 100],
  ['a line', 100_000, 1, 3840, 1],
  ['a square', 4000, 4000, 3840, 3840],
])('%s: %i x %i becomes %i x %i', (_, width, height, w, h) => {
  expect(fitWithin({ width, height }, { maxDimensionPx: 3840 })).toEqual({ width: w, height: h });
});

it.each([
  ['both sides, the width decides', 1000, 500, { maxWidth: 400, maxHeight: 400 }, 400, 200],
  ['both sides, the height decides', 1000, 500, { maxWidth: 900, maxHeight: 100 }, 200, 100],
  ['the width alone', 1000, 500, { maxWidth: 333 }, 333, 167],
  ['the height alone', 1000, 500, { maxHeight: 333 }, 666, 333],
  ['never enlarged', 1000, 500, { maxWidth: 2000, maxHeight: 2000 }, 1000, 500],
  ['above the largest side', 10_000, 100, { maxHeight: 99 }, 3840, 38],
])('a box of %s: %i x %i in %j becomes %i x %i', (_, width, height, box, w, h) => {
  expect(fitWithin({ width, height }, { maxDimensionPx: 3840, box })).toEqual({ width: w, height: h });
});

it('expects the larger size of an image that may be turned', () => {
  const limits = { maxDimensionPx: 3840, box: { maxWidth: 100 } };
  expect(largestFit({ width: 1000, height: 500 }, limits)).toEqual({ width: 100, height: 200 });
  expect(largestFit({ width: 500, height: 1000 }, limits)).toEqual({ width: 100, height: 200 });
});

it('swaps the sides for the orientations that lie on their side', () => {
  const stored = { width: 3, height: 2 };
  expect(([1, 2, 3, 4] as const).map((o) => uprightSize(stored, o))).toEqual(Array(4).fill(stored));
  const turned = { width: 2, height: 3 };
  expect(([5, 6, 7, 8] as const).map((o) => uprightSize(stored, o))).toEqual(Array(4).fill(turned));
});

describe('cropping', () => {
  const crop = (width: number, height: number, maxDimensionPx = 3840) =>
    fitWithin(
      { width: 4000, height: 3000 },
      { maxDimensionPx, box: { crop: 'cover', maxWidth: width, maxHeight: height } },
    );

  it.each([
    ['a box inside', crop(300, 500), 300, 500],
    ['a box of the same ratio', crop(400, 300), 400, 300],
    ['a box that is too high', crop(2000, 6000), 1000, 3000],
    ['a box that is larger', crop(9000, 9000), 3000, 3000],
    ['the limit of the deployment', crop(2000, 1000, 500), 500, 250],
    ['a line', crop(3000, 1), 3000, 1],
  ])('%s', (_, size, width, height) => expect(size).toEqual({ width, height }));

  it('scales the whole image so that it covers the result', () => {
    expect(coveringSize({ width: 4000, height: 3000 }, { width: 300, height: 500 })).toEqual({
      width: 667,
      height: 500,
    });
    expect(coveringSize({ width: 10, height: 3000 }, { width: 10, height: 10 })).toEqual({
      width: 10,
      height: 3000,
    });
  });
});
