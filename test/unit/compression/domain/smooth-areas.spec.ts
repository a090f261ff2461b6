import { capsOfRow, findShadows, findSmoothAreas } from '../../../../src/compression/domain/smooth-areas';
import {
  BOUNDS_LADDER,
  encodeNearLosslessRows,
} from '../../../../src/compression/domain/near-lossless/near-lossless-rows';
import type { Pixels } from '../../../../src/compression/domain/pixels';
import { painted, randomNumbers } from '../../../support/images';

const SIDE = 96;
const grey = (value: (x: number, y: number) => number) => painted(SIDE, SIDE, 1, value);
const withNoise = (amplitude: number) => {
  const random = randomNumbers(5);
  return grey((x, y) => Math.round(60 + x / 3 + y / 4 + amplitude * (random() - 0.5)));
};

function largestChange(image: Pixels) {
  const { delivered } = encodeNearLosslessRows(image, BOUNDS_LADDER[BOUNDS_LADDER.length - 1]);
  return delivered.data.reduce((most, value, i) => Math.max(most, Math.abs(value - image.data[i])), 0);
}

it.each([
  ['a gradient', withNoise(0), 2],
  ['a gradient with faint noise', withNoise(2), 3],
  ['a gradient with texture', withNoise(24), 8],
])('%s changes by at most a bound of its own', (_, image, most) => {
  const change = largestChange(image);
  expect(change).toBeLessThanOrEqual(most);
  expect(change).toBeGreaterThan(most === 8 ? 3 : 0);
});

it('an edge does not hide the gradient beside it', () => {
  const image = grey((x, y) => (x === 44 ? 250 : Math.round(60 + x / 3 + y / 4)));
  const caps = new Uint8Array(SIDE + 8);
  capsOfRow(findSmoothAreas(image), 50, caps);
  expect(caps[20]).toBeLessThanOrEqual(2);
  expect(caps[42]).toBeLessThanOrEqual(3);
});

it('a clear last column, which reduces to none, leaves the shadow on the other side', () => {
  const shadow = painted(97, SIDE, 4, (x, y) => [0, 0, 0, x === 96 ? 0 : 100 + y]);
  const { caps } = findShadows({ blocksPerRow: 4, caps: new Uint8Array(16).fill(1) }, shadow, 3);
  expect([...caps]).toEqual(Array.from({ length: 4 }, () => [1, 1, 1, 255]).flat());
});
