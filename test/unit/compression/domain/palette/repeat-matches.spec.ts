import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import {
  indexed,
  toRgba,
  type IndexedImage,
} from '../../../../../src/compression/domain/palette/indexed-image';
import {
  nextStrength,
  withAreasOf,
  withRepeatedMatches,
} from '../../../../../src/compression/domain/palette/repeat-matches';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import {
  leastDepth,
  packedRows,
  pngOfIndexed,
  readIndexedPng,
} from '../../../../../src/compression/formats/png/png-indexed';
import { painted, pixelsOf, randomNumbers, rangeAround } from '../../../../support/images';

/** Repeatable integers from 0. */
function sequence(seed: number) {
  const random = randomNumbers(seed);
  return (below: number) => Math.floor(random() * below);
}

/** Rows of indices, each behind the byte of its filter. */
const rowsOf = (width: number, height: number, indexAt: (x: number, y: number) => number) =>
  painted(width + 1, height, 1, (x, y) => (x === 0 ? 0 : indexAt(x - 1, y))).data;
/** The pixel of an index by its place in the rows; the byte of a filter is at -1. */
const pixelAt = (i: number, width: number) => [(i % (width + 1)) - 1, Math.floor(i / (width + 1))];

/** A source, and an image of its size in a palette that may lie far from it. */
const cases = fc
  .record({
    width: fc.integer({ min: 1, max: 90 }),
    height: fc.integer({ min: 1, max: 40 }),
    colours: fc.constantFrom(1, 2, 3, 4, 5, 16, 17, 200, 256),
    amplitude: fc.constantFrom(0, 1, 2, 9, 60, 255),
    isVeiled: fc.boolean(),
    seed: fc.integer(),
  })
  .map(({ width, height, colours, amplitude, isVeiled, seed }) => {
    const next = sequence(seed);
    const byte = () => Math.max(0, Math.min(255, 120 + next(amplitude + 1) - (amplitude >> 1)));
    const rgba = (count: number) =>
      Uint8Array.from({ length: count * 4 }, (_, i) => (i % 4 === 3 && !isVeiled ? 255 : byte()));
    const rows = rowsOf(width, height, () => next(colours));
    const source: Pixels = { width, height, channels: 4, data: rgba(width * height) };
    const image: IndexedImage = { width, height, palette: rgba(colours), rows };
    return { source, image };
  });

const WEIGHTS = [2, 4, 1, 7];
const NONE = new Set<number>();

it('repeats no index whose alpha is not that of an opaque or a transparent pixel, and none over a kept colour', () => {
  const alphas = [0, 1, 254, 255];
  const palette = Uint8Array.from(alphas.flatMap((alpha) => [100, 100, 100, alpha]));
  const width = 400;
  const next = sequence(9);
  // Neighbours differ by far, so nearly everything is close to a pixel.
  const chosen = Array.from({ length: width * 20 }, () => next(4));
  const data = Uint8Array.from(chosen.flatMap((i) => [100, 100, 100, alphas[i]]));
  const rows = rowsOf(width, 20, (x, y) => chosen[y * width + x]);
  const source: Pixels = { width, height: 20, channels: 4, data };
  const image = { width, height: 20, palette, rows };
  const kept = new Set([new Uint32Array(palette.buffer)[2]]);
  const changed = (colours: ReadonlySet<number>) => {
    const result = withRepeatedMatches(source, image, 500, colours);
    return new Set([...result.rows].flatMap((index, i) => (index === rows[i] ? [] : [alphas[rows[i]]])));
  };
  expect(changed(NONE)).toEqual(new Set([1, 254]));
  expect(changed(kept)).toEqual(new Set([1]));
});

it('changes an index only for a colour that is close enough to the source there', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(1, 6, 24, 500), ({ source, image }, strength) => {
      const result = withRepeatedMatches(source, image, strength, NONE);
      const { width } = image;
      const wrong: object[] = [];
      result.rows.forEach((index, i) => {
        if (index === image.rows[i]) return;
        const [x, y] = pixelAt(i, width);
        const range = rangeAround(source, x, y, 4);
        const squares = WEIGHTS.map((weight, c) => {
          const difference = source.data[(y * width + x) * 4 + c] - image.palette[index * 4 + c];
          return weight * difference * difference;
        });
        const distance = squares.reduce((sum, square) => sum + square, 0);
        const isAllowed = x >= 0 && range >= 2 && distance <= range * strength;
        if (!isAllowed) wrong.push({ x, y, range, distance, strength });
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('changes nothing at a strength of 0, and is the same each time', () => {
  fc.assert(
    fc.property(cases, ({ source, image }) => {
      expect(withRepeatedMatches(source, image, 0, NONE).rows).toEqual(image.rows);
      const [once, again] = [1, 2].map(() => withRepeatedMatches(source, image, 9, NONE));
      expect(again).toEqual(once);
    }),
    { numRuns: 30 },
  );
});

it('makes noise in a palette smaller, across the blocks that it is handed over in', () => {
  const [width, height] = [300, 500];
  const next = sequence(5);
  const source = pixelsOf(width, height, 4, (i) => (i % 4 === 3 ? 255 : 100 + next(40)));
  const greys = Uint8Array.from({ length: 64 * 4 }, (_, i) => (i % 4 === 3 ? 255 : 90 + (i >> 2)));
  const rows = rowsOf(width, height, (x, y) => source.data[(y * width + x) * 4 + 1] - 90);
  const image = { width, height, palette: greys, rows };
  const bytes = (of: IndexedImage) => deflateSync(of.rows).length;
  expect(bytes(withRepeatedMatches(source, image, 24, NONE))).toBeLessThan(bytes(image) * 0.96);
});

it('takes back what changed in areas as they are seen, and nothing else', () => {
  const [width, height] = [27, 22];
  const palette = Uint8Array.from({ length: 16 }, (_, i) => i * 16);
  const [exact, changed] = [1, 2].map((index) => ({
    width,
    height,
    palette,
    rows: rowsOf(width, height, () => index),
  }));
  const seen = { width: 13, height: 11 };
  // 8 px are 16 of the image; the second one ends with it.
  const areas = [
    { x: 0, y: 0, excess: 2 },
    { x: 8, y: 4, excess: 2 },
  ];
  const { rows } = withAreasOf(exact, changed, areas, seen);
  const restored = [...rows].flatMap((index, i) => (index === 1 ? [pixelAt(i, width)] : []));
  const isInside = (x: number, y: number) => (x < 16 && y < 16) || (x >= 16 && y >= 8);
  const expected = Array.from({ length: width * height }, (_, at) => [at % width, Math.floor(at / width)]);
  expect(restored).toEqual(expected.filter(([x, y]) => isInside(x, y)));
  expect(rows.filter((index) => index === 0)).toHaveLength(height);
});

it('writes a PNG in every depth, which another decoder and the reader understand', () => {
  fc.assert(
    fc.property(cases, ({ image }) => {
      for (const depth of new Set([leastDepth(image), 8 as const])) {
        const png = pngOfIndexed(image, depth, deflateSync(packedRows(image, depth)));
        const decoded = PNG.sync.read(Buffer.from(png));
        expect(decoded.data).toEqual(toRgba(image).data);
        expect(readIndexedPng(png)).toEqual(depth === 8 ? image : undefined);
      }
    }),
    { numRuns: 40 },
  );
});

it('finds the indices of pixels of at most 256 colours, alpha included', () => {
  fc.assert(
    fc.property(cases, ({ image }) => {
      const pixels = toRgba(image);
      expect(toRgba(indexed(pixels) as IndexedImage).data).toEqual(pixels.data);
    }),
    { numRuns: 30 },
  );
  const row = (colours: number) => {
    const data = Uint8Array.from({ length: colours * 4 }, (_, i) =>
      i % 4 === 0 ? i >> 2 : i % 4 === 3 ? 255 - (i >> 10) : 9,
    );
    return { width: colours, height: 1, channels: 4 as const, data };
  };
  expect(indexed(row(256))?.palette).toEqual(row(256).data);
  expect(indexed(row(257))).toBeUndefined();
});

describe('the search for a strength', () => {
  const at = (strength: number, loss: number) => ({ strength, loss });

  it('begins at the usual strength, and at most doubles it', () => {
    expect(nextStrength(at(0, 0.53), undefined, 0.53)).toBe(6);
    expect(nextStrength(at(0, 0.9), undefined, 0.9)).toBe(6);
  });

  it('is stronger by the square of the density, where single pixels are not seen', () => {
    expect(nextStrength(at(0, 0.53), undefined, 0.53, 2)).toBe(24);
    expect(nextStrength(at(48, 0.3), undefined, 0.3, 2)).toBe(96);
    expect(nextStrength(at(60, 0.3), undefined, 0.3, 2)).toBe(96);
    expect(nextStrength(at(96, 0.3), undefined, 0.2, 2)).toBeUndefined();
  });

  it('ends where little of the allowed loss is left', () => {
    expect(nextStrength(at(6, 0.9), undefined, 0.2)).toBeUndefined();
    expect(nextStrength(at(6, 0.9), at(8, 1.1), 0.2)).toBeUndefined();
    expect(nextStrength(at(24, 0.3), undefined, 0.2)).toBeUndefined();
  });

  it('goes on where the loss of the palette hides that of repetition', () => {
    expect(nextStrength(at(6, 0.94), undefined, 0.94)).toBe(12);
    expect(nextStrength(at(4, 1), undefined, 0.99)).toBeCloseTo(4 * Math.SQRT2);
  });

  it('aims at a loss of 0.96, as it grows with the square of the strength', () => {
    expect(nextStrength(at(4, 0.64), undefined, 0.4977778)).toBeCloseTo(4 * Math.sqrt(3.25));
    expect(nextStrength(at(0, 0.56), at(8, 2.16), 0.56)).toBeCloseTo(4);
    expect(nextStrength(at(6, 0.1), undefined, 0.1)).toBe(12);
    expect(nextStrength(at(16, 0.1), undefined, 0.1)).toBe(24);
  });

  it('interpolates between a trial that passed and one that failed', () => {
    expect(nextStrength(at(4, 0.76), at(8, 1.16), 0.56)).toBeCloseTo(Math.sqrt(16 + 0.5 * 48));
  });

  it('weakens a repetition that shifts a colour too far, but not below one that passed', () => {
    expect(nextStrength(at(0, 0.2), at(10, 0.5), 0.2)).toBeCloseTo(4);
    expect(nextStrength(at(5, 0.2), at(10, 0.5), 0.2)).toBeCloseTo(7);
  });
});
