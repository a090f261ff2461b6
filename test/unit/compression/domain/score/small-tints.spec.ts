import { TintMeter } from '../../../../../src/compression/domain/score/small-tints';
import { painted } from '../../../../support/images';

const BROWN = [120, 72, 46, 255];
const PINK = [120, 67, 70, 255];
const GREY = [110, 110, 110, 255];
const fur = painted(48, 40, 4, () => BROWN);
/** Fur with a spot of 12 px at this place. */
const withSpot = (left: number, top: number, colour: readonly number[]) =>
  painted(48, 40, 4, (x, y) => (x >= left && x < left + 12 && y >= top && y < top + 12 ? colour : BROWN));

it('finds a spot of 12 px that takes another tint, wherever it is', () => {
  for (const [x, y] of [
    [8, 8],
    [9, 11],
    [35, 27],
  ]) {
    const [worst] = new TintMeter(withSpot(x, y, PINK)).find(fur, 6);
    expect(worst.shift).toBeCloseTo((Math.hypot(5, 29) * 56) / (56 + 53), 1);
    expect([worst.x >= x - 3, worst.x <= x + 7, worst.y >= y - 3, worst.y <= y + 7]).not.toContain(false);
  }
});

it('passes over what becomes brighter, is smaller, or is no area', () => {
  const meter = new TintMeter(fur);
  expect(
    meter.find(
      painted(48, 40, 4, () => [140, 92, 66, 255]),
      1,
    ),
  ).toEqual([]);
  const dots = painted(48, 40, 4, (x, y) => (x % 24 < 2 && y % 20 < 2 ? GREY : BROWN));
  expect(meter.find(dots, 6)).toEqual([]);
  expect(
    new TintMeter(painted(7, 7, 4, () => BROWN)).find(
      painted(7, 7, 4, () => GREY),
      1,
    ),
  ).toEqual([]);
});

it('lists the worst area first, and sees less in saturated colours', () => {
  const found = new TintMeter(withSpot(8, 8, PINK)).find(withSpot(28, 20, GREY), 1);
  expect(found.map(({ shift }) => shift)).toEqual([...found.map(({ shift }) => shift)].sort((a, b) => b - a));
  expect(found[0].x).toBeGreaterThan(20);
  const shiftOf = (colour: readonly number[]) => {
    const blue = colour.map((value, c) => (c === 2 ? value - 20 : value));
    const [{ shift }] = new TintMeter(painted(16, 16, 4, () => colour)).find(
      painted(16, 16, 4, () => blue),
      1,
    );
    return shift;
  };
  expect(shiftOf(GREY)).toBe(20);
  expect(shiftOf([200, 88, 144, 255])).toBeCloseTo((20 * 56) / (56 + 112));
});
