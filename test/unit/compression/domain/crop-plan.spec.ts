import { planCrop, storedRegion } from '../../../../src/compression/domain/crop-plan';
import { crop, type Pixels } from '../../../../src/compression/domain/pixels';
import { painted, turned } from '../../../support/images';

it('only an image whose scaled whole has more than 16.8 megapixels is cropped before it is scaled', () => {
  const square = (side: number) => ({ width: side, height: side });
  expect(planCrop({ width: 8192, height: 4096 }, square(2896))).toBeUndefined();
  expect(planCrop({ width: 8192, height: 4096 }, square(2900))).toBeDefined();
  expect(planCrop(square(4096), square(4096))).toBeUndefined();
});

it.each([
  ['wide', { width: 60_000, height: 4_000 }, { width: 3840, height: 3840 }, { width: 4000, height: 4000 }],
  ['tall', { width: 3_000, height: 65_535 }, { width: 1500, height: 1000 }, { width: 3000, height: 2000 }],
  ['a line', { width: 20_000_000, height: 1 }, { width: 1, height: 1 }, { width: 1, height: 1 }],
])('the part has the shape of the result, at any place: %s', (_, upright, size, expected) => {
  const { miniature, part, regionAt } = planCrop(upright, size)!;
  expect(miniature.width * miniature.height).toBeLessThan(5e6);
  for (const share of [0, 0.5, 1]) {
    const place = {
      left: Math.round(share * (miniature.width - part.width)),
      top: Math.round(share * (miniature.height - part.height)),
    };
    const { left, top, width, height } = regionAt(place);
    expect({ width, height }).toEqual(expected);
    for (const [start, length, whole] of [
      [left, width, upright.width],
      [top, height, upright.height],
    ]) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(start + length).toBeLessThanOrEqual(whole);
      // A pixel of the miniature is many of the source.
      expect(Math.abs(start - share * (whole - length))).toBeLessThanOrEqual(whole / 200 + 1);
    }
  }
});

it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('is the same part of the stored image: orientation %d', (turn) => {
  const stored = painted(7, 5, 4, (x, y) => [x, y, 0, 255]);
  const upright: Pixels = { ...turned(stored, turn), channels: 4 };
  const region = { left: 1, top: 2, width: 3, height: 2 };
  const at = storedRegion(region, upright, turn);
  expect({ ...turned(crop(stored, at, at), turn), channels: 4 }).toEqual(crop(upright, region, region));
});
