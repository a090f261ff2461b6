import { chooseChroma, type ChromaMode } from '../../../src/compression/domain/search/chroma-choice';
import { QualityCurve } from '../../../src/compression/domain/search/quality-curve';
import { SEARCH_RANGE } from '../../../src/compression/domain/search/quality-search';

const target = 0.99;
type Shape = readonly [meetsTargetAt: number, bytesPerStep: number];

/** A mode that meets the target from a quality on, and costs so many bytes a step of quality. */
function mode(chroma: '4:2:0' | '4:4:4', [meets, bytesPerStep]: Shape, draftLoss = 1) {
  const drafts: number[] = [];
  const looks: number[] = [];
  const curve = new QualityCurve(chroma, (quality, purpose) => {
    (purpose === 'draft' ? drafts : looks).push(quality);
    const score = 1 - 0.01 * 2 ** ((meets - quality) / 15) * (purpose === 'draft' ? draftLoss : 1);
    return Promise.resolve({ score, relativeError: 0.03, size: quality * bytesPerStep });
  });
  return { chroma, curve, drafts, looks };
}

it.each([
  ['halved chroma, as a rule: fewer bytes at the same quality', [80, 100], [80, 110], '4:2:0'],
  ['full chroma, when halved chroma needs a much higher quality', [92, 100], [78, 110], '4:4:4'],
  ['full chroma, when halved chroma never reaches the target', [140, 10], [90, 110], '4:4:4'],
  ['halved chroma, when only that reaches the target', [90, 110], [140, 10], '4:2:0'],
  ['the smaller file, when neither reaches it', [140, 100], [140, 110], '4:2:0'],
] as const)('%s', async (_, halved, full, expected) => {
  const chosen = await chooseChroma([mode('4:2:0', halved), mode('4:4:4', full)], SEARCH_RANGE, target);
  expect(chosen.chroma).toBe(expected);
});

it('looks at nothing where there is no choice', async () => {
  const only = mode('4:2:0', [80, 100]);
  expect(await chooseChroma([only], SEARCH_RANGE, target)).toBe<ChromaMode>(only);
  expect([...only.drafts, ...only.looks]).toEqual([]);
});

it('is content with drafts of a mode that is hopeless', async () => {
  const [halved, full] = [mode('4:2:0', [80, 100]), mode('4:4:4', [79, 150])];
  expect((await chooseChroma([halved, full], SEARCH_RANGE, target)).chroma).toBe('4:2:0');
  expect(full.drafts.length).toBeLessThanOrEqual(2);
  expect([...halved.looks, ...full.looks]).toEqual([]);
});

it('looks closely where drafts find both about as small, and may have been wrong', async () => {
  // By its drafts halved chroma is a little smaller; as it would be delivered it needs three qualities more.
  const [halved, full] = [mode('4:2:0', [85, 100], 0.8), mode('4:4:4', [78, 100])];
  expect((await chooseChroma([halved, full], SEARCH_RANGE, target)).chroma).toBe('4:4:4');
  expect([halved.looks.length, full.looks.length]).toEqual([1, 1]);
});
