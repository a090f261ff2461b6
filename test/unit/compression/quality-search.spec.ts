import {
  lowestPassingSample,
  SEARCH_RANGE,
  searchQuality,
} from '../../../src/compression/domain/quality-search';
import { randomNumbers } from '../../support/images';

const target = 0.99;
type Curve = (quality: number) => number;

async function search(whole: Curve, sample: Curve = whole, range = SEARCH_RANGE, aligned?: Curve) {
  const sampled: number[] = [];
  const encoded: number[] = [];
  const result = await searchQuality(range, target, {
    sample: (quality) => (sampled.push(quality), Promise.resolve(sample(quality))),
    alignedSample: (quality) => Promise.resolve((aligned ?? sample)(quality)),
    whole: (quality) => (encoded.push(quality), Promise.resolve({ quality, score: whole(quality) })),
  });
  return { ...result, sampled, encoded };
}

/** A curve as encoders give it: the loss falls by half every 15 steps, and meets the target at `quality`. */
const meetsTargetAt =
  (quality: number, lossFactor = 1): Curve =>
  (q) =>
    1 - (1 - target) * lossFactor * 2 ** ((quality - q) / 15);

it.each([20, 21, 50, 57, 58, 94, 95])(
  'finds the lowest passing quality %i with one whole encode',
  async (lowest) => {
    const { passing, encoded } = await search((q) => (q >= lowest ? 1 : target - 0.0001));
    expect(passing?.quality).toBe(lowest);
    expect(encoded).toEqual([lowest]);
  },
);

it.each([0.7, 0.9, 1.1, 1.4])(
  'corrects a sample whose loss is %d times that of the whole',
  async (factor) => {
    for (let quality = 30; quality <= 85; quality += 5) {
      const { passing, encoded } = await search(meetsTargetAt(quality), meetsTargetAt(quality, factor));
      expect(passing!.quality).toBeGreaterThanOrEqual(quality);
      expect(passing!.quality).toBeLessThanOrEqual(quality + 2);
      expect(encoded.length).toBeLessThanOrEqual(2);
    }
  },
);

it('is not led down by a source whose own blocks make the whole look better than the picture is', async () => {
  // Across the blocks the picture meets the target at 80; along them, saved at 80 before, it loses next to nothing.
  const flattered = meetsTargetAt(80, 0.1);
  const { passing } = await search(flattered, meetsTargetAt(80), SEARCH_RANGE, flattered);
  expect(passing!.quality).toBeGreaterThanOrEqual(80);
  expect(passing!.quality).toBeLessThanOrEqual(82);
});

it('finds nothing when even the highest quality fails, and has tried it', async () => {
  const { passing, encoded } = await search(() => 0.5);
  expect(passing).toBeUndefined();
  expect(encoded.at(-1)).toBe(SEARCH_RANGE.highest);
});

it('tries the highest quality before it gives up, also when the sample was far too hopeful', async () => {
  const { passing, encoded } = await search(
    (q) => (q === SEARCH_RANGE.highest ? target : 0.9),
    () => 1,
  );
  expect(passing?.quality).toBe(SEARCH_RANGE.highest);
  expect(encoded.length).toBeLessThanOrEqual(9);
});

it('takes the lowest quality when everything passes', async () => {
  expect((await search(() => 1)).passing?.quality).toBe(SEARCH_RANGE.lowest);
});

it('encodes each quality at most once, and asks the sample for few', async () => {
  for (let lowest = 20; lowest <= 96; lowest++) {
    const { sampled, encoded } = await search((q) => (q >= lowest ? 1 : 0));
    expect(new Set(encoded).size).toBe(encoded.length);
    expect(new Set(sampled).size).toBeLessThanOrEqual(13);
  }
});

it('never returns a quality that failed, and none while a lower one is known to pass, however the curves jump', async () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 1000; round++) {
    const jump = () => Array.from({ length: 101 }, (_, q) => 0.98 + q / 8000 + (random() - 0.5) * 0.02);
    const [whole, sample] = [jump(), jump()];
    const { passing, encoded, sampled } = await search(
      (q) => whole[q],
      (q) => sample[q],
    );
    const passed = encoded.filter((q) => whole[q] >= target);
    expect(passing?.quality).toBe(passed.length > 0 ? Math.min(...passed) : undefined);
    if (!passing) expect(encoded).toContain(SEARCH_RANGE.highest);
    expect(encoded.length).toBeLessThanOrEqual(9);
    expect(new Set(sampled).size).toBeLessThanOrEqual(30);
  }
});

it('survives identical samples, a range of one, and an empty range', async () => {
  expect((await search(meetsTargetAt(60), () => 1)).passing?.quality).toBeGreaterThanOrEqual(60);
  const one = { lowest: 40, highest: 40 };
  expect(
    (
      await search(
        () => 1,
        () => 1,
        one,
      )
    ).passing?.quality,
  ).toBe(40);
  const none = { lowest: 41, highest: 40 };
  expect(
    (
      await search(
        () => 1,
        () => 1,
        none,
      )
    ).encoded,
  ).toEqual([]);
});

describe('the search on the sample', () => {
  it('finds the lowest passing quality of every falling curve, in few guesses', async () => {
    let total = 0;
    for (let lowest = 20; lowest <= 95; lowest++) {
      const asked: number[] = [];
      const loss = (q: number) => 2 ** ((lowest - q) / (8 + (lowest % 20)));
      const found = await lowestPassingSample(SEARCH_RANGE, (q) => (asked.push(q), Promise.resolve(loss(q))));
      expect(found).toBe(lowest);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length).toBeLessThanOrEqual(13);
      total += asked.length;
    }
    // Plain bisection asks 6.2 times.
    expect(total / 76).toBeLessThan(5);
  });

  it('ends at the highest quality when none passes, and survives losses of zero', async () => {
    expect(await lowestPassingSample(SEARCH_RANGE, () => Promise.resolve(5))).toBe(95);
    expect(await lowestPassingSample(SEARCH_RANGE, () => Promise.resolve(0))).toBe(20);
  });
});
