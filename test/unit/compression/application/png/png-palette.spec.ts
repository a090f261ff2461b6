import { join } from 'node:path';
import sharp from 'sharp';
import { fewestColours } from '../../../../../src/compression/application/png/png-palette';
import type { IndexedImage } from '../../../../../src/compression/domain/palette/indexed-image';
import { asSeen, seenSize } from '../../../../../src/compression/domain/score/as-seen';
import { AreaMeter } from '../../../../../src/compression/domain/score/small-areas';
import { compress } from '../../../../support/compressing';
import { ROOT } from '../../../../support/folders';
import { decodeIndependently, painted, rawImage } from '../../../../support/images';

const rgbaOf = (png: Uint8Array) => ({ ...decodeIndependently(png), channels: 4 as const });

it('keeps the tint of every small area, as a palette', async () => {
  // Without this rule, a warm grey area of 8 px turns green: its tint shifts by 8.6.
  const source = sharp(join(ROOT, 'examples', 'still-life.jpg'))
    .resize(320)
    .toColourspace('srgb')
    .png();
  const { data } = await source.toBuffer({ resolveWithObject: true });
  for (const density of [1, 2]) {
    const { bytes, report } = await compress(data, { density });
    // At a density of 2, a near-lossless file is smaller.
    expect(report.maxError === undefined).toBe(density === 1);
    const [before, after] = [data, bytes].map((png) =>
      asSeen(rgbaOf(png), seenSize({ width: 320, height: 213 }, density)),
    );
    // No colour is left to add for edges: then they may differ by half as much again.
    expect(new AreaMeter(before).find(after, { tint: 6, difference: 1.5 })).toEqual([]);
  }
});

it('keeps the shades of a small drawing on plain ground', async () => {
  // Without this rule, the shadow of the ring becomes one stripe: it differs by 1.7 times what its contrast hides.
  const ring = (x: number, y: number) =>
    Math.max(0, Math.min(1, 3 - Math.abs(Math.hypot(x - 60, y - 70) - 30)));
  const shadow = (x: number, y: number) => Math.max(0, 1 - Math.abs(Math.hypot(x - 60, y - 70) - 40) / 8);
  const before = painted(600, 400, 4, (x, y) => {
    const [shape, dark] = [ring(x, y), 90 * shadow(x, y) * Number(y > 70)];
    return [...[0, 150, 140].map((level) => Math.round((255 - dark) * (1 - shape) + level * shape)), 255];
  });
  const { bytes } = await compress(await rawImage(before).png().toBuffer());
  const after = rgbaOf(bytes);
  expect(new AreaMeter(before).find(after, { tint: 6, difference: 1 })).toEqual([]);
  const below = Array.from({ length: 20 }, (_, y) => after.data[((100 + y) * 600 + 60) * 4]);
  expect(new Set(below).size).toBeGreaterThan(6);
});

it('draws a small button in as many shades as its slope needs', async () => {
  // If all contrast of a slope hid differences, its 24 shades became 6.
  const before = painted(600, 400, 4, (x, y) => {
    if (x < 30 || x >= 80 || y < 60 || y >= 84) return [255, 255, 255, 255];
    return [255 - (y - 60), 153 - 5 * (y - 60), 0, 255];
  });
  const { bytes } = await compress(await rawImage(before).png().toBuffer());
  const { data } = rgbaOf(bytes);
  const shades = Array.from({ length: 24 }, (_, y) => data[((60 + y) * 600 + 50) * 4 + 1]);
  expect(new Set(shades).size).toBeGreaterThan(9);
});

interface Loss {
  readonly passes: boolean;
  readonly loss: number;
}

/** Searches among palettes of 2 to 256 colours, whose errors fall with the square of their number. */
function search(judge: (count: number) => Loss) {
  const tried: number[] = [];
  const quantiser = {
    least: 2,
    most: 256,
    errorOf: (count: number) => (count < 2 ? Infinity : 120_000 / count ** 2),
    quantisePart: (width: number) => ({ width }) as IndexedImage,
  };
  const guard = {
    judge: ({ width }: { readonly width: number }) => {
      tried.push(width);
      return { score: 1, ...judge(width) };
    },
  };
  return { found: fewestColours({}, quantiser, guard), tried };
}

describe('the fewest colours for a part', () => {
  it.each([5, 30, 75, 200])('are close to the fewest that pass: %i', (fewest) => {
    const { found, tried } = search((count) => ({ passes: count >= fewest, loss: (fewest / count) ** 2 }));
    expect(found).toBeGreaterThanOrEqual(fewest);
    expect(found).toBeLessThanOrEqual(Math.ceil(fewest * 1.12));
    expect(tried.length).toBeLessThanOrEqual(4);
    expect(new Set(tried).size).toBe(tried.length);
  });

  it('are found although palettes fail by a shifted colour and lose little', () => {
    const { found } = search((count) => ({ passes: count >= 45, loss: count >= 45 ? 0.1 : 0.3 }));
    expect(found).toBeGreaterThanOrEqual(45);
    expect(found).toBeLessThan(60);
  });

  it('are given up after a full palette that loses too much', () => {
    const { found, tried } = search((count) => ({ passes: false, loss: count < 256 ? 3 : 1.2 }));
    expect(found).toBeUndefined();
    expect(tried).toEqual([64, 256]);
  });
});
