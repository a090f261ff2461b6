import { findKeptColours } from '../../../../src/compression/domain/kept-colours';
import { painted, word } from '../../../support/images';

const image = (colour: (x: number, y: number) => readonly number[]) => painted(100, 100, 4, colour);
const noise = (x: number, y: number) => [x + 7, y + 7, ((x * y) & 127) + 7, 255];

it('keeps the colours of areas of half a percent, and pure ones of any size', () => {
  const isIn = (x: number, y: number, side: number) => x < side && y < side;
  const flat = (side: number) =>
    findKeptColours(image((x, y) => (isIn(x, y, side) ? [26, 26, 27, 255] : noise(x, y)))).exact;
  // The first row and column have no neighbour of the same colour on both sides.
  expect(flat(9).has(word([26, 26, 27, 255]))).toBe(true);
  expect(flat(7).has(word([26, 26, 27, 255]))).toBe(false);
  const dots = image((x, y) =>
    y !== 50 ? noise(x, y) : [x & 1 ? 255 : 0, x & 2 ? 255 : 0, x & 4 ? 255 : 0, 255],
  );
  expect(findKeptColours(dots).exact.size).toBe(8);
  const almost = image((x, y) => (y !== 50 ? noise(x, y) : [x & 1 ? 254 : 0, 255, x & 4 ? 255 : 0, 254]));
  expect(findKeptColours(almost).exact.size).toBe(0);
});

it('stores the own colour of transparent pixels, or that of the pixels beside them if theirs differ', () => {
  const hole = (hidden: (x: number, y: number) => number[]) =>
    findKeptColours(
      image((x, y) => (x < 50 ? [...hidden(x, y), 0] : x < 60 ? [200, 100, 50, 255] : noise(x, y))),
    );
  expect(hole(() => [255, 255, 255])).toMatchObject({
    hidden: word([255, 255, 255, 0]),
    isHiddenPlain: true,
  });
  expect(hole((x) => (x < 30 ? [255, 255, 255] : [0, 0, 0]))).toMatchObject({
    hidden: word([255, 255, 255, 0]),
    isHiddenPlain: false,
  });
  expect(hole((x, y) => [x, y, 0])).toMatchObject({ hidden: word([200, 100, 50, 0]), isHiddenPlain: false });
});
