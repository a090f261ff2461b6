import type { PageFacts } from '../../../src/web/page-facts';
import { queryOf } from '../../../src/web/page/api/options';
import { costWords } from '../../../src/web/page/words/list';
import { isOffered, optionTable, optionWords } from '../../../src/web/page/words/option-table';
import { partOf } from '../../support/part-of';

it('says what images are compressed with, chosen or not, and asks the service for what was chosen', () => {
  const facts = partOf<PageFacts>({
    maxUploadBytes: 20e6,
    maxDimensionPx: 3840,
    minDimensionPx: 16,
    targetScore: 0.9914,
    qualities: { low: 0.983, medium: 0.987, high: 0.9914, 'very-high': 0.995 },
    keptMetadata: 'none',
    metadataChoices: ['none', 'all'],
    pngMode: 'auto',
    format: 'same',
  });
  const table = optionTable(facts);
  expect(optionWords({}, table)).toBe('High quality · at most 3840 px · metadata removed');
  expect(optionWords({}, optionTable({ ...facts, targetScore: 0.99 }))).toBe(
    'at most 3840 px · metadata removed',
  );
  expect(queryOf({})).toBe('');
  const chosen = { maxBytes: 200_000, quality: 'low', maxDimension: 1920, metadata: 'all' } as const;
  expect(optionWords(chosen, table)).toBe('At most 200 kB · Low quality · at most 1920 px · metadata kept');
  expect(queryOf(chosen)).toBe('?max_bytes=200000&max_dimension=1920&metadata=all&quality=low');
  expect(queryOf({ format: 'auto', density: 2 })).toBe('?density=2&format=auto');
  expect(optionWords({ pngMode: 'lossless' }, table)).toBe(
    'High quality · at most 3840 px · PNGs without loss · metadata removed',
  );
  expect(queryOf({ pngMode: 'lossless' })).toBe('?png_mode=lossless');
});

it('offers only values that the deployment supports', () => {
  const table = optionTable(
    partOf<PageFacts>({
      maxUploadBytes: 20e6,
      minDimensionPx: 16,
      qualities: {},
      metadataChoices: ['none'],
    }),
  );
  expect(
    [1000, 20e6, 999, 20e6 + 1000, 1500.5, '1000'].map((value) => isOffered(table.maxBytes, value)),
  ).toEqual([true, true, false, false, false, false]);
  expect(['none', 'all', undefined].map((value) => isOffered(table.metadata, value))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isOffered(table.density, 2)).toBe(false);
});

it('says what a choice takes, and nothing where it takes nothing', () => {
  expect(costWords('Another choice', 0, 3, 20)).toBeUndefined();
  expect(costWords('Another choice', 2, undefined, 0)).toBeUndefined();
  expect(costWords('Another choice', 2, 3, 20)).toBe('Another choice takes 2 images; your trial has 3 left');
  expect(costWords('Each size', 1, undefined, 20)).toBe('Each size takes 1 image; you have 20 a minute');
});
