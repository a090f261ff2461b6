import type { PageFacts } from '../../../src/web/page-facts';
import { toQuery, withoutConflicts } from '../../../src/web/page/api/options';
import { jpegWords, scarcityWords } from '../../../src/web/page/words/list';
import { isOffered, optionTable } from '../../../src/web/page/words/option-table';
import { partOf } from '../../support/part-of';

it('asks the service for what was chosen, under the names of its parameters', () => {
  expect(toQuery({})).toBe('');
  expect(toQuery({ maxBytes: 200_000, quality: 'low', maxDimension: 1920, metadata: 'all' })).toBe(
    '?max_bytes=200000&max_dimension=1920&metadata=all&quality=low',
  );
  expect(toQuery({ format: 'auto', density: 2 })).toBe(toQuery({ density: 2, format: 'auto' }));
});

it('drops what the service refuses with the quality lossless, chosen or of the deployment', () => {
  const small = { density: 2, maxBytes: 1000, metadata: 'all' } as const;
  expect(toQuery(withoutConflicts({ ...small, quality: 'lossless' }, 'high'))).toBe(
    '?metadata=all&quality=lossless',
  );
  expect(toQuery(withoutConflicts(small, 'lossless'))).toBe('?metadata=all');
  expect(withoutConflicts({ ...small, quality: 'low' }, 'lossless').density).toBe(2);
  expect(withoutConflicts(small, 'high')).toBe(small);
});

it('offers only values that the deployment supports', () => {
  const table = optionTable(
    partOf<PageFacts>({
      maxUploadBytes: 20e6,
      minDimensionPx: 16,
      targetScore: 0.9914,
      qualities: {},
      formats: {},
    }),
    [],
  );
  expect(
    [1000, 20e6, 999, 20e6 + 1000, 1500.5, '1000'].map((value) => isOffered(table.maxBytes, value)),
  ).toEqual([true, true, false, false, false, false]);
  expect(['none', 'part', undefined].map((value) => isOffered(table.metadata, value))).toEqual([
    true,
    false,
    false,
  ]);
  expect([2, 4].map((value) => isOffered(table.density, value))).toEqual([true, false]);
  expect(table.quality.defaultValue).toBeUndefined();
});

it('says what a choice takes of a trial only when little is left', () => {
  expect(scarcityWords(2, undefined)).toBeUndefined();
  expect(scarcityWords(2, 4)).toBeUndefined();
  expect(scarcityWords(2, 3)).toBe('Takes 2 of your 3 free images');
  expect(scarcityWords(3, 3)).toBe('Takes your last 3 free images');
  expect(scarcityWords(2, 1)).toBe('You have 1 free image left');
});

it('offers photos in PNGs as JPG, once for all of them', () => {
  expect(jpegWords([[480_000, 101_000]])).toBe(
    '1 photo is stored as PNG: about 101 kB as JPG instead of 480 kB.',
  );
  expect(
    jpegWords([
      [1_000_000, 400_000],
      [1_530_000, 430_000],
    ]),
  ).toBe('2 photos are stored as PNG: about 830 kB as JPG instead of 2.53 MB.');
});
