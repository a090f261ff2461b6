import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import {
  BOUNDS_LADDER,
  EXACT_BOUNDS,
  encodeNearLosslessRows,
} from '../../../../../src/compression/domain/near-lossless/near-lossless-rows';
import { posterise, posteriseToShades } from '../../../../../src/compression/domain/near-lossless/posterise';
import { sampleBands } from '../../../../../src/compression/domain/near-lossless/sample-bands';
import { asRgba, withoutRedundantChannels, type Pixels } from '../../../../../src/compression/domain/pixels';
import { pngOfRows } from '../../../../../src/compression/formats/png/png-chunks';
import { painted, pixelsOf, randomNumbers, rangeAround } from '../../../../support/images';

/** Noise of random amplitude on random levels: from flat to chaotic, black and white included. */
const images = fc
  .record({
    width: fc.integer({ min: 1, max: 33 }),
    height: fc.integer({ min: 1, max: 12 }),
    channels: fc.constantFrom<Pixels['channels']>(1, 2, 3, 4),
    ground: fc.integer({ min: 0, max: 255 }),
    amplitude: fc.constantFrom(0, 1, 3, 12, 60, 255),
    seed: fc.integer(),
  })
  .map(({ width, height, channels, ground, amplitude, seed }): Pixels => {
    const random = randomNumbers(seed);
    return pixelsOf(width, height, channels, () =>
      Math.max(0, Math.min(255, ground + Math.floor(random() * (amplitude + 1)) - (amplitude >> 1))),
    );
  });

const coloursOf = ({ channels }: Pixels) => (channels % 2 === 0 ? channels - 1 : channels);

describe('quantized residuals', () => {
  it('keeps every sample within its bound and alpha exact, by another decoder', () => {
    fc.assert(
      fc.property(images, fc.constantFrom(...BOUNDS_LADDER), (image, bounds) => {
        const { rows, delivered } = encodeNearLosslessRows(image, bounds);
        const { width, channels, data } = image;
        const colours = coloursOf(image);
        const wrong: object[] = [];
        delivered.data.forEach((value, i) => {
          const c = i % channels;
          const pixel = (i - c) / channels;
          const isAlpha = c === colours;
          const isHidden = colours < channels && data[i - c + colours] === 0;
          const bound = isAlpha
            ? 0
            : bounds[rangeAround(image, pixel % width, Math.floor(pixel / width), colours)];
          const isAllowed = (isHidden && !isAlpha) || Math.abs(value - data[i]) <= bound;
          if (!isAllowed) wrong.push({ i, value, bound });
        });
        expect(wrong).toEqual([]);
        const decoded = PNG.sync.read(Buffer.from(pngOfRows(image, deflateSync(rows))));
        expect(decoded.data).toEqual(asRgba(delivered).data);
      }),
      { numRuns: 300 },
    );
  });

  it('changes nothing with bounds of 0, and gives the same bytes each time', () => {
    fc.assert(
      fc.property(images, (image) => {
        const { rows, delivered } = encodeNearLosslessRows(image, EXACT_BOUNDS);
        if (image.channels % 2 === 1) expect(delivered.data).toEqual(image.data);
        expect(encodeNearLosslessRows(image, EXACT_BOUNDS).rows).toEqual(rows);
      }),
    );
  });

  it('never changes flat areas, and loses more in texture with each step', () => {
    BOUNDS_LADDER.forEach((bounds, step) => {
      expect(bounds[0]).toBe(0);
      if (step > 0) expect(bounds[255]).toBeGreaterThanOrEqual(BOUNDS_LADDER[step - 1][255]);
    });
  });
});

describe('fewer shades', () => {
  it.each([1, 2] as const)('are off by at most %d, keep black and white, and equal pixels equal', (bound) => {
    const every = pixelsOf(256, 1, 1, (i) => i);
    const { data } = posterise(every, bound);
    data.forEach((value, i) => expect(Math.abs(value - i)).toBeLessThanOrEqual(bound));
    expect([data[0], data[255]]).toEqual([0, 255]);
    expect(new Set(data).size).toBe(255 / (2 * bound + 1) + 1);
  });

  it('leave alpha alone, unless the image must be small', () => {
    const data = Uint8Array.of(9, 10, 11, 77, 200, 100, 50, 0);
    const image: Pixels = { width: 2, height: 1, channels: 4, data };
    expect([...posterise(image, 1).data]).toEqual([9, 9, 12, 77, 9, 9, 12, 0]);
    expect([...posteriseToShades(image, 2).data]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

it('samples whole rows from all parts of a large image, and all of a small one', () => {
  const image = (width: number, height: number) => painted(width, height, 1, (_, y) => y >> 4);
  const small = image(100, 100);
  expect(sampleBands(small, 8_000)).toBe(small);
  const part = sampleBands(image(100, 3_200), 8_000);
  expect(part).toMatchObject({ width: 100, height: 80 });
  expect([part.data[0], part.data[part.data.length - 1]]).toEqual([0, 199]);
});

it('removes redundant channels', () => {
  const data = Uint8Array.of(5, 5, 5, 255, 9, 9, 9, 255);
  const opaque: Pixels = { width: 2, height: 1, channels: 4, data };
  expect(withoutRedundantChannels(opaque, true)).toMatchObject({ channels: 1, data: Uint8Array.of(5, 9) });
  expect(withoutRedundantChannels(opaque, false).channels).toBe(3);
  const veiled: Pixels = { ...opaque, data: Uint8Array.of(5, 5, 5, 254, 9, 9, 9, 255) };
  expect(withoutRedundantChannels(veiled, true)).toMatchObject({
    channels: 2,
    data: Uint8Array.of(5, 254, 9, 255),
  });
});
