import { paletteStart } from '../../../../src/compression/application/png/png-palette';
import type { Quantiser } from '../../../../src/compression/application/png/png-quantiser';
import type { PngWork } from '../../../../src/compression/application/png/png-work';
import type { IndexedImage } from '../../../../src/compression/domain/palette/indexed-image';
import type { Pixels } from '../../../../src/compression/domain/pixels';

interface Verdict {
  readonly passes: boolean;
  readonly loss: number;
}

/** Searches among palettes that are judged by their quality alone. */
async function search(judge: (quality: number) => Verdict) {
  const tried: number[] = [];
  const quantiser = {
    quantisePart: (quality: number) => {
      tried.push(quality);
      return Promise.resolve({ quality } as unknown as IndexedImage);
    },
    isFinest: (quality: number) => quality >= 100,
  } as unknown as Quantiser;
  const work = {
    size: { width: 8, height: 8 },
    density: 1,
    isLate: () => false,
    createGuard: () => ({
      judge: (image: unknown) => judge((image as { readonly quality: number }).quality),
    }),
  } as unknown as PngWork;
  const start = await paletteStart(work, {} as Pixels, quantiser);
  return { tried, start };
}

describe('the first palette', () => {
  it.each([5, 30, 75, 97])('is close to the lowest quality that passes: %i', async (lowest) => {
    const { start, tried } = await search((quality) => {
      const loss = 1 + (lowest - quality) / 50;
      return { passes: quality >= lowest, loss };
    });
    expect(start?.quality).toBeGreaterThan(lowest - 7);
    expect(start?.quality).toBeLessThan(lowest + 14);
    expect(tried.length).toBeLessThanOrEqual(5);
  });

  it('is halfway to one that passes after one that fails by a shifted colour', async () => {
    const { start } = await search((quality) => {
      const passes = quality >= 45;
      return { passes, loss: passes ? 0.3 : 0.5 };
    });
    expect(start?.quality).toBeGreaterThanOrEqual(45);
    expect(start?.quality).toBeLessThan(60);
  });

  it('is given up after the full one that loses too much', async () => {
    const { start, tried } = await search((quality) => ({ passes: false, loss: quality < 100 ? 3 : 1.2 }));
    expect(start).toBeUndefined();
    expect(tried).toEqual([60, 100]);
  });
});
