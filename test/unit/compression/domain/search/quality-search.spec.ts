import {
  jpegCurve,
  likelyQuality,
  searchRange,
  uploadPatience,
} from '../../../../../src/compression/application/jpeg/jpeg-format';
import type { Effort } from '../../../../../src/compression/domain/compression-policy';
import {
  chooseChroma,
  searchQuality,
  type Patience,
} from '../../../../../src/compression/domain/search/quality-search';
import { TrialCurve } from '../../../../../src/compression/domain/search/trial-curve';
import { randomNumbers } from '../../../../support/images';

const SEARCH_RANGE = searchRange(1);
const MODEL = jpegCurve('4:2:0', 1);

const allowed = 0.01;
type Loss = (quality: number) => number;

interface Invented {
  readonly whole: Loss;
  readonly mosaic?: Loss;
  readonly effort?: Effort;
  readonly pixels?: number;
  readonly density?: number;
  readonly relativeError?: number;
  readonly range?: typeof SEARCH_RANGE;
  readonly patience?: Patience;
}

async function search({ whole, mosaic = whole, effort = 'balanced', ...image }: Invented) {
  const { pixels = 8e6, density = 1, relativeError = 0.03, range = searchRange(density) } = image;
  const { patience = uploadPatience({ effort, pixelCount: pixels, density }) } = image;
  const tried: number[] = [];
  const encoded: number[] = [];
  const trial = (quality: number) => {
    tried.push(quality);
    return Promise.resolve({ loss: mosaic(quality), size: 1000 });
  };
  const curve = new TrialCurve('4:2:0', trial, jpegCurve('4:2:0', density));
  await curve.find(allowed, range, likelyQuality(allowed, undefined, density));
  const encode = (quality: number) => {
    encoded.push(quality);
    return Promise.resolve({ quality, score: 1 - whole(quality) });
  };
  const options = { range, allowedLoss: allowed, effort, relativeError, encode, patience };
  return { ...(await searchQuality(curve, options)), tried, encoded };
}

const lowestOf = (loss: Loss) =>
  Array.from({ length: 78 }, (_, i) => i + 20).find((quality) => loss(quality) <= allowed)!;
/** A curve like those of encoders: the loss follows the quantization step and equals the allowed loss at `quality`. */
const meetsAt =
  (quality: number, factor = 1, slope = 0.85): Loss =>
  (q) =>
    allowed * factor * ((101 - q) / (101 - quality)) ** slope;

it.each([0.6, 0.85, 1, 1.3])(
  'leaves at most an eighth of the allowed loss, nearly always in one full encode, with a slope of %d',
  async (slope) => {
    let encodes = 0;
    for (let quality = 30; quality <= 90; quality++) {
      const whole = meetsAt(quality, 1, slope);
      const { passing, encoded, tried } = await search({ whole });
      expect(whole(passing!.quality)).toBeLessThanOrEqual(allowed);
      // If a quality step is larger than that, it is the lowest quality.
      if (passing!.quality > lowestOf(whole)) expect(whole(passing!.quality)).toBeGreaterThan(allowed * 0.87);
      encodes += encoded.length;
      expect(encoded.length).toBeLessThanOrEqual(2);
      expect(tried.length).toBeLessThanOrEqual(5);
    }
    expect(encodes / 61).toBeLessThan(1.2);
  },
);

it.each([0.8, 0.9, 1.15, 1.3])(
  'corrects a mosaic whose loss is %d times that of the image',
  async (factor) => {
    for (let quality = 40; quality <= 90; quality += 5) {
      const whole = meetsAt(quality);
      const { passing, encoded } = await search({ whole, mosaic: meetsAt(quality, factor) });
      expect(passing!.quality).toBeGreaterThanOrEqual(lowestOf(whole));
      if (passing!.quality > lowestOf(whole)) expect(whole(passing!.quality)).toBeGreaterThan(allowed * 0.84);
      expect(encoded.length).toBeLessThanOrEqual(2);
    }
  },
);

it('assumes that a mosaic underestimates the loss by a share of its standard error', async () => {
  const hopeful = meetsAt(80, 0.98);
  const lower = meetsAt(80, 0.9);
  const whole = meetsAt(80);
  expect((await search({ whole, mosaic: hopeful, relativeError: 0.1 })).encoded).toHaveLength(1);
  expect((await search({ whole, mosaic: lower, relativeError: 0 })).encoded).toHaveLength(2);
});

it('finds nothing when even the highest quality fails, and has tried it', async () => {
  const { passing, encoded } = await search({ whole: () => 0.5 });
  expect(passing).toBeUndefined();
  expect(encoded.at(-1)).toBe(SEARCH_RANGE.highest);
});

it('takes the lowest quality when everything passes', async () => {
  expect((await search({ whole: () => 0 })).passing?.quality).toBe(SEARCH_RANGE.lowest);
});

const tooGood = { whole: meetsAt(80, 0.85), mosaic: meetsAt(80) };
const near = { whole: meetsAt(80, 0.94), mosaic: meetsAt(80) };
const flatter = { whole: meetsAt(80, 0.75, 0.6), mosaic: meetsAt(80) };
it.each<[encodes: number, pixels: number, Effort, Invented]>([
  [2, 8_000_000, 'balanced', tooGood],
  [1, 3_000_000, 'balanced', near],
  [2, 2_900_000, 'balanced', near],
  [2, 3_000_000, 'balanced', flatter],
  [3, 2_900_000, 'balanced', flatter],
  [1, 8_000_000, 'fast', tooGood],
])('spends %d full encodes of %d pixels with effort %s', async (encodes, pixels, effort, image) => {
  expect((await search({ ...image, pixels, effort })).encoded).toHaveLength(encodes);
});

it('spends up to five with effort max, and finds the lowest quality', async () => {
  const best = await search({ ...tooGood, effort: 'max' });
  expect(best.passing?.quality).toBe(lowestOf(tooGood.whole));
  expect(best.encoded.length).toBeLessThanOrEqual(5);
});

it('stops at a jump if the mosaic predicts that the next lower quality fails, except with effort max', async () => {
  const stair: Loss = (quality) => (quality >= 80 ? 0.87 : 1.06) * meetsAt(80)(quality);
  const balanced = await search({ whole: stair, pixels: 300_000 });
  expect(balanced.passing?.quality).toBe(80);
  expect(balanced.encoded).not.toContain(79);
  expect((await search({ whole: stair, pixels: 300_000, effort: 'max' })).encoded).toContain(79);
});

it('goes between a quality that fails and one that leaves a quarter of the loss unused', async () => {
  // As of a smooth image that changes at few qualities. Its mosaic promises 91, and then 83.
  const whole: Loss = (quality) => allowed * (quality >= 90 ? 0.6 : quality >= 86 ? 0.9 : 1.2);
  const mosaic = meetsAt(91);
  const patience = { toleratedRoom: 0.12, encodesForBytes: 2 };
  const { passing, encoded } = await search({ whole, mosaic, patience });
  expect(encoded.map(whole)).toEqual([0.6, 1.2, 0.9].map((share) => allowed * share));
  expect(passing!.quality).toBe(encoded[2]);
  const careless = { ...patience, toleratedRoom: 1 };
  expect((await search({ whole, mosaic, patience: careless })).encoded.length).toBe(1);
});

it('at a density, goes between a failure and one that leaves less unused', async () => {
  const whole: Loss = (quality) => allowed * (quality < 50 ? 1.2 : quality < 56 ? 0.95 : 0.5);
  const patience = { toleratedRoom: 0.1, encodesForBytes: 2 };
  const { passing, encoded } = await search({ whole, mosaic: meetsAt(45), density: 2, patience });
  expect(whole(passing!.quality)).toBe(0.95 * allowed);
  expect(encoded.length).toBeLessThanOrEqual(4);
});

it('never returns a quality that failed, and always the lowest that passed, on arbitrary curves', async () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 1000; round++) {
    const jumping = () => Array.from({ length: 101 }, (_, q) => 0.018 - q / 8000 + (random() - 0.5) * 0.02);
    const [whole, mosaic] = [jumping(), jumping()];
    const { passing, encoded } = await search({ whole: (q) => whole[q], mosaic: (q) => mosaic[q] });
    const passed = encoded.filter((q) => whole[q] <= allowed);
    expect(passing?.quality).toBe(passed.length > 0 ? Math.min(...passed) : undefined);
    if (!passing) expect(encoded).toContain(SEARCH_RANGE.highest);
    expect(new Set(encoded).size).toBe(encoded.length);
  }
});

it('handles a range of one quality, an empty range, and mosaics without any loss', async () => {
  expect((await search({ whole: () => 0, range: { lowest: 40, highest: 40 } })).passing?.quality).toBe(40);
  expect((await search({ whole: () => 0, range: { lowest: 41, highest: 40 } })).encoded).toEqual([]);
  expect((await search({ whole: meetsAt(60), mosaic: () => 0 })).passing?.quality).toBeGreaterThanOrEqual(60);
});

describe('the chroma mode', () => {
  const mode = (chroma: '4:2:0' | '4:4:4', loss: Loss, size: number) => {
    const trial = (quality: number) =>
      Promise.resolve({ loss: loss(quality), size: size / (101 - quality) ** 0.6 });
    return { curve: new TrialCurve(chroma, trial, jpegCurve(chroma, 1)) };
  };

  const chosen = (...modes: ReturnType<typeof mode>[]) => chooseChroma(modes, allowed, SEARCH_RANGE, 80);

  it('is the one that needs fewer bytes for the same loss', async () => {
    const full = mode('4:4:4', meetsAt(78), 1200);
    const halved = mode('4:2:0', meetsAt(84), 1000);
    // 1200 / 23^0.6 = 183, 1000 / 17^0.6 = 183: nearly equal, so the detail in the colours decides.
    expect(await chosen(full, mode('4:2:0', meetsAt(88), 1000))).toBe(full);
    expect(await chosen(mode('4:4:4', meetsAt(83), 1200), halved)).toBe(halved);
  });

  it('takes one trial each if one is much larger', async () => {
    const full = mode('4:4:4', meetsAt(78), 2400);
    const halved = mode('4:2:0', meetsAt(84), 1000);
    const tried = jest.spyOn(full.curve, 'find');
    expect(await chosen(full, halved)).toBe(halved);
    expect(tried).toHaveBeenCalledTimes(1);
  });

  it('needs no trial if there is only one', async () => {
    const only = mode('4:2:0', meetsAt(84), 1000);
    expect(await chosen(only)).toBe(only);
  });
});

it('believes the slope that a trial tells, rather than that between two trials', async () => {
  const trial = (quality: number) =>
    Promise.resolve({ loss: meetsAt(80, 1, 1.5)(quality), size: 1000, lossSlope: 0.6 });
  const told = new TrialCurve('4:2:0', trial, MODEL);
  await told.find(allowed, SEARCH_RANGE, 60, 1);
  await told.find(allowed, SEARCH_RANGE, 70);
  const ratio = told.lossAt(90) / told.lossAt(80);
  expect(ratio).toBeCloseTo((11 / 21) ** 0.6, 3);
});

it('at a density, does not follow the flat slope of a jump far beyond the quality that passes', async () => {
  const trial = () => Promise.resolve({ loss: 1.1 * allowed, size: 1000 });
  const curve = new TrialCurve('4:2:0', trial, jpegCurve('4:2:0', 3));
  await curve.find(allowed, SEARCH_RANGE, 34, 1);
  await curve.confirm(allowed, { lowest: 35, highest: 35 });
  expect(curve.qualityFor(allowed)).toBeGreaterThan(38);
  expect(curve.qualityFor(allowed)).toBeLessThan(45);
});

it('at a density, needs no trial to confirm one of a small image that is near for its step', async () => {
  const trial = jest.fn(() => Promise.resolve({ loss: allowed, size: 1000 }));
  const curve = new TrialCurve('4:2:0', trial, jpegCurve('4:2:0', 2, 250_000));
  await curve.find(allowed, SEARCH_RANGE, 38, 1);
  await curve.confirm(allowed, { lowest: 40, highest: 40 });
  expect(trial).toHaveBeenCalledTimes(1);
  await curve.confirm(allowed, { lowest: 45, highest: 45 });
  expect(trial).toHaveBeenCalledTimes(2);
});
