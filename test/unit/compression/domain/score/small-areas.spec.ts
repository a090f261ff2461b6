/** Changes of small areas: another tint, and differences that the contrast of the area does not hide. */
import { AreaMeter, areaOf } from '../../../../../src/compression/domain/score/small-areas';
import { painted } from '../../../../support/images';

/** Limits of the tint alone. */
const TINT = { tint: 6, difference: Infinity };
const ONE = { tint: 1, difference: Infinity };
/** Of differences alone. */
const DIFFERENCE = { tint: Infinity, difference: 1 };
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
    const [worst] = new AreaMeter(withSpot(x, y, PINK)).find(fur, TINT);
    expect(worst.excess * TINT.tint).toBeCloseTo((Math.hypot(5, 29) * 56) / (56 + 53), 1);
    expect([worst.x >= x - 3, worst.x <= x + 7, worst.y >= y - 3, worst.y <= y + 7]).not.toContain(false);
  }
});

it('passes over what becomes brighter, is smaller, or is no area', () => {
  const meter = new AreaMeter(fur);
  expect(
    meter.find(
      painted(48, 40, 4, () => [140, 92, 66, 255]),
      ONE,
    ),
  ).toEqual([]);
  const dots = painted(48, 40, 4, (x, y) => (x % 24 < 2 && y % 20 < 2 ? GREY : BROWN));
  expect(meter.find(dots, TINT)).toEqual([]);
  expect(
    new AreaMeter(painted(7, 7, 4, () => BROWN)).find(
      painted(7, 7, 4, () => GREY),
      ONE,
    ),
  ).toEqual([]);
});

it('lists the worst area first, and sees less in saturated colours', () => {
  const found = new AreaMeter(withSpot(8, 8, PINK)).find(withSpot(28, 20, GREY), ONE);
  expect(found.map(({ excess }) => excess)).toEqual(
    [...found.map(({ excess }) => excess)].sort((a, b) => b - a),
  );
  expect(found[0].x).toBeGreaterThan(20);
  const shiftOf = (colour: readonly number[]) => {
    const blue = colour.map((value, c) => (c === 2 ? value - 20 : value));
    const [{ excess }] = new AreaMeter(painted(16, 16, 4, () => colour)).find(
      painted(16, 16, 4, () => blue),
      ONE,
    );
    return excess;
  };
  expect(shiftOf(GREY)).toBe(20);
  expect(shiftOf([200, 88, 144, 255])).toBeCloseTo((20 * 56) / (56 + 112));
});

const checked = (level: number, contrast: number, across = 0, down = 0) =>
  painted(16, 16, 3, (x, y) => level + ((x + y) % 2) * contrast + x * across + y * down);

it.each([
  ['4 levels on plain ground', 4, 0, 4 / 3],
  ['2 levels on plain ground', 2, 0, undefined],
  ['4 levels where the contrast is high', 4, 60, undefined],
  ['10 levels where the contrast is highest', 10, 140, undefined],
  ['12 levels where the contrast is highest', 12, 140, 12 / 10.5],
])('measures %s against what the contrast hides', (_, change, contrast, excess) => {
  const found = new AreaMeter(checked(80, contrast)).find(checked(80 + change, contrast), DIFFERENCE);
  expect(found.length > 0).toBe(excess !== undefined);
  for (const area of found) expect(area.excess).toBeCloseTo(excess ?? 0);
});

it.each([
  ['gentle slope', 3, 0, 3],
  ['slope down', 0, -3, 3],
  ['slope aslant', -2, 1, 3],
  // Its deviation over 8 px.
  ['steep slope', 8, 0, 0.3 * 8 * Math.sqrt(63 / 12)],
])('lets a %s hide no more than steps of 2.4 px, and texture on it more', (_, across, down, hidden) => {
  const excessOf = (change: number, contrast: number) => {
    const [before, after] = [80, 80 + change].map((level) => checked(level, contrast, across, down));
    return new AreaMeter(before).find(after, DIFFERENCE)[0].excess;
  };
  expect(excessOf(6, 0)).toBeCloseTo(6 / hidden);
  expect(excessOf(12, 40)).toBeCloseTo(12 / 9);
});

it('says which pixels an area is seen of, also in images of odd sides', () => {
  const image = { width: 1001, height: 10_000 };
  const of = (x: number, y: number, width: number, height: number) =>
    areaOf({ x, y, excess: 2 }, image, { width, height });
  expect(of(492, 4_992, 501, 5_000)).toEqual({ left: 984, right: 1_000, top: 9_984, bottom: 10_000 });
  expect(of(496, 0, 501, 5_000)).toMatchObject({ left: 992, right: 1_001 });
  // At a density of 1.5, part of a pixel belongs to it.
  expect(of(3, 4, 667, 6_667)).toEqual({ left: 4, right: 17, top: 5, bottom: 18 });
});
