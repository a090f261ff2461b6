import {
  isAuthored,
  indexed,
  type IndexedImage,
} from '../../../../../src/compression/domain/palette/indexed-image';
import { painted } from '../../../../support/images';

/** An image of 128 × 128 px whose pixels have these greys. */
const image = (grey: (x: number, y: number) => number) =>
  indexed(painted(128, 128, 4, (x, y) => [...Array<number>(3).fill(grey(x, y)), 255])) as IndexedImage;

it.each([
  ['sixteen colours, however they are used', image((x, y) => (x === 0 ? y % 15 : 200)), true],
  ['tiles of forty colours', image((x, y) => 5 * (((x >> 3) + 7 * (y >> 3)) % 40)), true],
  ['a flat area with the many shades of a soft edge', image((x) => (x < 4 ? x : x > 100 ? 250 : 20)), true],
  ['two areas and sixty rare shades', image((x, y) => (y === 64 ? 2 * (x % 60) : y < 64 ? 0 : 250)), false],
  ['too many evenly used colours', image((x, y) => (((x >> 2) + 32 * (y >> 2)) * 3) % 200), false],
])('knows whether %s are chosen', (_, picture, expected) => {
  expect(isAuthored(picture)).toBe(expected);
});
