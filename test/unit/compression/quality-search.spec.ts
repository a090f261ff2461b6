import { SEARCH_RANGE, searchQuality } from '../../../src/compression/domain/quality-search';
import { randomNumbers } from '../../support/images';

const target = 0.99;

async function search(curve: (quality: number) => number, range = SEARCH_RANGE) {
  const asked: number[] = [];
  const result = await searchQuality(range, target, (quality) => {
    asked.push(quality);
    return Promise.resolve({ quality, score: curve(quality) });
  });
  return { ...result, asked };
}

it.each([20, 21, 50, 57, 58, 94, 95])(
  'finds the lowest passing quality %i on a rising curve',
  async (lowest) => {
    const { passing } = await search((q) => (q >= lowest ? target : target - 0.0001));
    expect(passing?.quality).toBe(lowest);
  },
);

it('finds nothing when even the highest quality fails', async () => {
  const { passing, evaluations } = await search(() => 0.5);
  expect(passing).toBeUndefined();
  expect(evaluations.at(-1)?.quality).toBe(SEARCH_RANGE.highest);
});

it('takes the lowest quality when everything passes', async () => {
  expect((await search(() => 1)).passing?.quality).toBe(SEARCH_RANGE.lowest);
});

it('asks once for each quality, and at most seven times in 20..95', async () => {
  for (let lowest = 20; lowest <= 96; lowest++) {
    const { asked } = await search((q) => (q >= lowest ? 1 : 0));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeLessThanOrEqual(7);
  }
});

it('never returns a quality that failed, however the curve jumps', async () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 500; round++) {
    const scores = Array.from({ length: 101 }, (_, q) => 0.98 + q / 8000 + (random() - 0.5) * 0.01);
    const { passing, asked } = await search((q) => scores[q]);
    const passed = asked.filter((q) => scores[q] >= target);
    expect(passing?.quality).toBe(passed.length > 0 ? Math.min(...passed) : undefined);
  }
});

it('survives a range of one, and an empty one', async () => {
  expect((await search(() => 1, { lowest: 40, highest: 40 })).passing?.quality).toBe(40);
  expect((await search(() => 1, { lowest: 41, highest: 40 })).asked).toEqual([]);
});
