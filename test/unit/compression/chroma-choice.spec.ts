import { chooseChroma, type SampleResult } from '../../../src/compression/domain/chroma-choice';
import { SEARCH_RANGE } from '../../../src/compression/domain/quality-search';

const target = 0.99;
const both = ['4:2:0', '4:4:4'] as const;

/** Each mode meets the target from a quality on, and costs so many bytes a step of quality. */
function modes(at: { '4:2:0': [number, number]; '4:4:4': [number, number] }) {
  return (mode: '4:2:0' | '4:4:4', quality: number): Promise<SampleResult> => {
    const [meets, bytesPerStep] = at[mode];
    return Promise.resolve({ score: 1 - 0.01 * 2 ** ((meets - quality) / 15), size: quality * bytesPerStep });
  };
}

it.each([
  ['halved chroma, as a rule: fewer bytes at the same quality', [80, 100], [80, 110], '4:2:0'],
  ['full chroma, when halved chroma needs a much higher quality', [92, 100], [78, 110], '4:4:4'],
  ['full chroma, when halved chroma never reaches the target', [140, 10], [90, 110], '4:4:4'],
  ['halved chroma, when only that reaches the target', [90, 110], [140, 10], '4:2:0'],
  ['the smaller file, when neither reaches it', [140, 100], [140, 110], '4:2:0'],
] as const)('%s', async (_, halved, full, expected) => {
  const sample = modes({ '4:2:0': [...halved], '4:4:4': [...full] });
  expect(await chooseChroma(both, SEARCH_RANGE, target, sample)).toBe(expected);
});

it('does not search where there is no choice', async () => {
  const sample = () => Promise.reject(new Error('must not be asked'));
  expect(await chooseChroma(['4:2:0'], SEARCH_RANGE, target, sample)).toBe('4:2:0');
});

it('gives a mode that is hopeless one look, and no more', async () => {
  const sample = modes({ '4:2:0': [80, 100], '4:4:4': [79, 150] });
  const looks: number[] = [];
  const chosen = await chooseChroma(both, SEARCH_RANGE, target, (mode, quality) => {
    if (mode === '4:4:4') looks.push(quality);
    return sample(mode, quality);
  });
  expect(chosen).toBe('4:2:0');
  expect(looks).toEqual([77]);
});
