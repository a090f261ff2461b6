import { needsSharpChroma, shiftBySharing } from '../../../../src/compression/domain/shared-chroma';
import { painted, randomNumbers } from '../../../support/images';

const SIDE = 64;
const RED = [230, 20, 30];
const BLUE = [20, 40, 220];
const stripes = (widthPx: number, one: number[], other: number[]) =>
  painted(SIDE, SIDE, 3, (x) => (Math.floor(x / widthPx) % 2 === 0 ? one : other));

it('saturated colours that change within a block lose their lightness', () => {
  expect(needsSharpChroma(stripes(1, RED, BLUE))).toBe(true);
  expect(needsSharpChroma(painted(SIDE, SIDE, 3, (_, y) => (y % 2 === 0 ? RED : BLUE)))).toBe(true);
});

it('colours that change between blocks, and lightness alone, need nothing', () => {
  const random = randomNumbers(3);
  expect(shiftBySharing(stripes(2, RED, BLUE))).toBe(0);
  expect(shiftBySharing(painted(SIDE, SIDE, 3, () => Math.floor(256 * random())))).toBe(0);
  expect(needsSharpChroma(stripes(1, [120, 124, 130], [126, 128, 128]))).toBe(false);
  expect(shiftBySharing(painted(SIDE, SIDE, 1, (x) => x))).toBe(0);
});

it('a small part with such colours counts, and alpha does not', () => {
  const flag = (channels: 3 | 4) =>
    painted(SIDE, SIDE, channels, (x, y) => [
      ...(y >= 16 ? [90, 90, 90] : x % 2 === 0 ? RED : BLUE),
      ...(channels === 4 ? [255] : []),
    ]);
  expect(needsSharpChroma(flag(3))).toBe(true);
  expect(shiftBySharing(flag(4))).toBe(shiftBySharing(flag(3)));
});

it('in a small image, each block counts; of a large one, evenly spaced ones suffice', () => {
  const cornered = painted(64, 48, 3, (x, y) => (x < 5 && y < 5 ? [255, 0, 0] : [0, 0, 255]));
  expect(needsSharpChroma(cornered)).toBe(true);
  const side = 512;
  const large = painted(side, side, 3, (x) => (x % 2 === 0 ? RED : BLUE));
  expect(shiftBySharing(large)).toBeCloseTo(shiftBySharing(stripes(1, RED, BLUE)));
});

it('an image without a whole block has nothing to share', () => {
  expect(shiftBySharing(painted(1, 5, 3, () => RED))).toBe(0);
});
