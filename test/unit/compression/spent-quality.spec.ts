import type { ChromaSubsampling } from '../../../src/compression/domain/pixels';
import { QualityCurve } from '../../../src/compression/domain/search/quality-curve';
import type { SavedQuality } from '../../../src/compression/domain/history/saved-quality';
import { remainingLoss } from '../../../src/compression/domain/history/spent-quality';

const allowed = 0.0086;

/** What is left where coding the picture once more, at any quality, costs this share of what is allowed. */
async function left(
  quality: number,
  isOurTable: boolean,
  lossOnceMore: number,
  options: { chroma?: ChromaSubsampling; of?: number; shorterSidePx?: number; before?: SavedQuality[] } = {},
) {
  const { chroma = '4:2:0', of = allowed, shorterSidePx = 500, before = [] } = options;
  const looks: number[] = [];
  const drafts: number[] = [];
  const curve = new QualityCurve(chroma, (asked, purpose) => {
    (purpose === 'draft' ? drafts : looks).push(asked);
    // As if it were foretold rightly.
    const loss = lossOnceMore * of * (purpose === 'draft' ? Math.exp(-0.07) : 1);
    return Promise.resolve({ score: 1 - loss, relativeError: 0.03, size: 1000 });
  });
  const remaining = await remainingLoss(
    [{ quality, isOurTable }, ...before],
    { chroma, curve },
    1 - of,
    shorterSidePx,
  );
  return { remaining, looks, drafts };
}

it.each([
  ['ours, at the target', 80, true, 0.7, 0],
  ['ours, of a picture whose noise is gone', 80, true, 0.15, 0],
  ['ours, of a picture that needed a high quality', 94, true, 0.4, 0],
  ['our encoder, at a quality that we would hardly choose', 95, true, 0.2, 0.88],
  ['our encoder, of a picture that lost nothing', 80, true, 0.05, 1],
  ['another encoder, coarser than the target', 80, false, 1.7, 0],
  ['another encoder, at the target', 80, false, 0.68, 0],
  ['another encoder, with half of the loss left', 80, false, 0.5, 0.54],
  ['another encoder, of a picture that lost little', 90, false, 0.05, 1],
])('%s', async (_, quality, isOurTable, lossOnceMore, remaining) => {
  expect((await left(quality, isOurTable, lossOnceMore)).remaining).toBeCloseTo(remaining, 1);
});

it('takes less for lost where the chroma is whole', async () => {
  const [halved, full] = [await left(90, false, 0.6), await left(90, false, 0.6, { chroma: '4:4:4' })];
  expect(full.remaining).toBeGreaterThan(halved.remaining);
});

it('expects our own files at lower qualities where the operator allows more', async () => {
  expect((await left(88, true, 0.2)).remaining).toBe(0);
  expect((await left(88, true, 0.2, { of: 3 * allowed })).remaining).toBeGreaterThan(0.85);
});

it('drafts the quality that the file was saved at, looks closely at our own, and at the finest never', async () => {
  expect(await left(95, false, 0.2)).toMatchObject({ drafts: [95], looks: [] });
  expect((await left(95, true, 0.2)).looks).toEqual([95]);
  expect(await left(97, false, 0.6)).toEqual({ remaining: 1, drafts: [], looks: [] });
});

it('adds losses up by their squares where the chroma is whole, and by more where it is halved twice', async () => {
  const full = await left(80, false, 0.5, { chroma: '4:4:4' });
  expect(full.remaining).toBeCloseTo(Math.sqrt(1 - (0.5 * 1.1) ** 2), 3);
  expect((await left(80, false, 0.5)).remaining).toBeLessThan(Math.sqrt(1 - (0.5 * 1.35) ** 2));
});

it('takes off what every coding of the history has lost', async () => {
  const once = await left(95, false, 0.3, { before: [] });
  const twice = await left(95, false, 0.3, { before: [{ quality: 88, isOurTable: false }] });
  expect(twice.drafts).toEqual([95, 88]);
  expect(1 - twice.remaining ** 1.4).toBeCloseTo(2 * (1 - once.remaining ** 1.4), 6);
  const ours = { quality: 82, isOurTable: true };
  expect((await left(95, false, 0.2, { before: [ours] })).remaining).toBe(0);
});

it('knows narrow pictures of ours by their table alone', async () => {
  expect(await left(80, true, 0, { shorterSidePx: 11 })).toEqual({ remaining: 0, drafts: [], looks: [] });
  expect((await left(80, false, 0, { shorterSidePx: 11 })).remaining).toBeCloseTo(1, 3);
  expect((await left(80, true, 0, { shorterSidePx: 12 })).remaining).toBeCloseTo(1, 3);
});
