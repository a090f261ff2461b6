import type { Effort } from '../../../src/compression/domain/compression-policy';
import { QualityCurve } from '../../../src/compression/domain/search/quality-curve';
import { logStep } from '../../../src/compression/domain/search/quantiser-table';
import { SEARCH_RANGE, searchQuality } from '../../../src/compression/domain/search/quality-search';
import { randomNumbers } from '../../support/images';

const target = 0.99;
type Curve = (quality: number) => number;
/** Loss of a draft ÷ loss of what is delivered: less than the search expects. */
const DRAFT_LOSS = 0.85;

async function search(
  whole: Curve,
  sample: Curve = whole,
  range = SEARCH_RANGE,
  aligned?: Curve,
  effortNow?: () => Effort,
  relativeError = 0.08,
) {
  const drafted: number[] = [];
  const sampled: number[] = [];
  const encoded: number[] = [];
  const curve = new QualityCurve('4:2:0', (quality, purpose) => {
    const isDraft = purpose === 'draft';
    (isDraft ? drafted : sampled).push(quality);
    // What is delivered loses more than its draft, and by no fixed ratio.
    const loss = (1 - sample(quality)) * (isDraft ? DRAFT_LOSS : 1);
    return Promise.resolve({ score: 1 - loss, relativeError, size: quality });
  });
  const evaluators = {
    curve,
    alignedLoss: (quality: number) => Promise.resolve(1 - (aligned ?? sample)(quality)),
    whole: (quality: number) => (encoded.push(quality), Promise.resolve({ quality, score: whole(quality) })),
  };
  const result = await searchQuality(range, target, evaluators, effortNow);
  return { ...result, drafted, sampled, encoded };
}

const step = (q: number) => Math.exp(logStep(q));
/** The loss of a sample whose whole loses what the search reckons with at the relative error of above. */
const SAFE = 1 / 1.06;
const lowestOf = (curve: Curve) =>
  Array.from({ length: 76 }, (_, i) => i + 20).find((q) => curve(q) >= target)!;
/** A curve as encoders give it: the loss goes with the quantiser step, and meets the target at `quality`. */
const meetsTargetAt =
  (quality: number, lossFactor = 1, slope = 1): Curve =>
  (q) =>
    1 - (1 - target) * lossFactor * (step(q) / step(quality)) ** slope;

it.each([0.7, 0.9, 1, 1.2, 1.5])(
  'meets the target in one whole encode, hardly finer than it must be, where the loss goes with the step to the power of %d',
  async (slope) => {
    for (let quality = 25; quality <= 94; quality++) {
      const whole = meetsTargetAt(quality, 1, slope);
      const { passing, encoded, sampled, drafted } = await search(whole, meetsTargetAt(quality, SAFE, slope));
      expect(passing!.quality).toBeGreaterThanOrEqual(lowestOf(whole));
      expect(step(passing!.quality)).toBeGreaterThanOrEqual(step(quality) * 0.91);
      expect(encoded.length).toBe(1);
      expect(drafted.length).toBeLessThanOrEqual(5);
      expect(sampled.length).toBeLessThanOrEqual(3);
    }
  },
);

it.each([0.7, 0.9, 1.1, 1.4])(
  'corrects a sample whose loss is %d times that of the whole',
  async (factor) => {
    for (let quality = 30; quality <= 85; quality += 5) {
      const whole = meetsTargetAt(quality);
      const { passing, encoded } = await search(whole, meetsTargetAt(quality, factor));
      expect(passing!.quality).toBeGreaterThanOrEqual(lowestOf(whole));
      expect(step(passing!.quality)).toBeGreaterThanOrEqual(step(quality) * 0.79);
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

it('corrects the more hopeful of both samples, so that a second failure is rare', async () => {
  for (let quality = 40; quality <= 85; quality += 5) {
    const whole = meetsTargetAt(quality);
    const { passing, encoded } = await search(whole, meetsTargetAt(quality, 0.85), SEARCH_RANGE, whole);
    expect(passing).toBeDefined();
    expect(encoded.length).toBe(2);
  }
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

it('encodes each quality at most once, and asks the sample for few, also of a curve that is a cliff', async () => {
  for (let lowest = 20; lowest <= 96; lowest++) {
    const { drafted, sampled, encoded } = await search((q) => (q >= lowest ? 1 : 0));
    for (const asked of [drafted, sampled, encoded]) expect(new Set(asked).size).toBe(asked.length);
    expect(encoded.length).toBeLessThanOrEqual(9);
    expect(sampled.length).toBeLessThanOrEqual(16);
    expect(drafted.length).toBeLessThanOrEqual(24);
  }
});

it('takes a result for near enough only when at most some three steps are left in it', async () => {
  const nearEnough = await search(meetsTargetAt(80, 0.9), meetsTargetAt(80, SAFE));
  expect(nearEnough.encoded).toEqual([80]);
  const tooGood = await search(meetsTargetAt(80, 0.7), meetsTargetAt(80, SAFE));
  expect(tooGood.encoded.length).toBe(2);
  expect(tooGood.passing!.quality).toBeLessThan(75);
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

it('believes a faithful sample of what passes, however far from the target, unless every byte counts', async () => {
  const history = [meetsTargetAt(80, 0.3), meetsTargetAt(80, SAFE), SEARCH_RANGE, undefined] as const;
  expect((await search(...history, () => 'balanced', 0)).encoded).toEqual([80]);
  expect((await search(...history, () => 'balanced')).encoded.length).toBe(2);
  expect((await search(...history, () => 'max', 0)).encoded.length).toBeGreaterThan(1);
  const [whole, hopeful] = [meetsTargetAt(80), meetsTargetAt(80, 0.8)];
  expect((await search(whole, hopeful, SEARCH_RANGE, undefined, () => 'balanced', 0)).passing).toBeDefined();
});

it('is content with the first that passes when it has to be fast, and finds the very lowest at most effort', async () => {
  const tooGood = [meetsTargetAt(80, 0.7), meetsTargetAt(80, SAFE), SEARCH_RANGE, undefined] as const;
  const lowest = lowestOf(tooGood[0]);
  const fast = await search(...tooGood, () => 'fast');
  expect(fast.encoded).toEqual([80]);
  const best = await search(...tooGood, () => 'max');
  expect(best.passing?.quality).toBe(lowest);
  expect(best.encoded.length).toBeLessThanOrEqual(5);
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
