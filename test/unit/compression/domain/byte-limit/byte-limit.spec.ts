import { floorScore } from '../../../../../src/compression/application/byte-limit/fit-within-limit';
import {
  dimensionSteps,
  nextStep,
  highestThatFits,
  type FitSearch,
} from '../../../../../src/compression/domain/byte-limit/fit-search';
import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import { bytesFrom } from '../../../../../src/contract/units';
import { readSettings } from '../../../../../src/settings/settings';
import { randomNumbers } from '../../../../support/images';

type Size = (step: number) => number;
interface Invented {
  readonly real: Size;
  readonly predicted?: Size;
  readonly passes?: (step: number) => boolean;
  readonly range?: FitSearch<never>['range'];
}

const MAX_BYTES = 1000;

async function search({
  real,
  predicted = real,
  passes = () => true,
  range = { lowest: 20, highest: 97 },
}: Invented) {
  const encoded: number[] = [];
  const found = await highestThatFits({
    range,
    maxBytes: MAX_BYTES,
    predict: predicted,
    encode: (step) => {
      encoded.push(step);
      return Promise.resolve({ step, bytes: new Uint8Array(Math.round(real(step))) });
    },
    passes: ({ step }) => passes(step),
    maxEncodes: 5,
  });
  const { fitting, minBytes } = found;
  return { step: fitting?.step, size: fitting?.bytes.length, minBytes, encoded };
}

/** A curve like those of encoders: size is a power of the quantization step and equals the byteLimit at `quality`. */
const meetsAt =
  (quality: number, factor = 1, slope = -0.6): Size =>
  (q) =>
    MAX_BYTES * factor * ((101 - q) / (101 - quality)) ** slope;

describe('the search for the best result that fits', () => {
  it.each([0.8, 0.95, 1, 1.1, 1.3])(
    'fills all but 5 %% of the byteLimit in four encodes, if a prediction is %d of the actual size',
    async (factor) => {
      for (let quality = 25; quality <= 90; quality++) {
        const predicted = meetsAt(quality, factor, -0.7);
        const { step, size, encoded } = await search({ real: meetsAt(quality), predicted });
        expect(size).toBeLessThanOrEqual(MAX_BYTES);
        if (step !== quality) expect(size).toBeGreaterThanOrEqual(0.95 * MAX_BYTES);
        expect(encoded.length).toBeLessThanOrEqual(4);
      }
    },
  );

  it('encodes once if the prediction is right', async () => {
    expect((await search({ real: meetsAt(70) })).encoded).toEqual([70]);
  });

  it('returns only results that fit and pass, with arbitrary sizes and predictions, and encodes no step twice', async () => {
    const random = randomNumbers(11);
    for (let round = 0; round < 1000; round++) {
      const jumping = () => Array.from({ length: 101 }, (_, q) => 700 + q * 5 + (random() - 0.5) * 600);
      const [real, predicted] = [jumping(), jumping()];
      const least = Math.floor(random() * 100);
      const { step, size, encoded } = await search({
        real: (q) => real[q],
        predicted: (q) => predicted[q],
        passes: (q) => q >= least,
      });
      if (step !== undefined) {
        expect(size).toBeLessThanOrEqual(MAX_BYTES);
        expect(step).toBeGreaterThanOrEqual(least);
      }
      expect(new Set(encoded).size).toBe(encoded.length);
    }
  });

  it('finds nothing if the lowest step is too large, and reports its size', async () => {
    const { step, minBytes, encoded } = await search({ real: (q) => 1100 + q });
    expect(step).toBeUndefined();
    expect(encoded.at(-1)).toBe(20);
    expect(minBytes).toBe(1120);
  });

  it('gives up at once when a result is too large and looks bad already', async () => {
    const { step, encoded } = await search({ real: (q) => 1000 + q, passes: () => false });
    expect(step).toBeUndefined();
    expect(encoded.length).toBe(1);
  });

  it('refuses the highest that fits when it looks bad', async () => {
    expect((await search({ real: meetsAt(40), passes: (q) => q > 45 })).step).toBeUndefined();
  });

  it('takes the highest step when everything fits, and survives a range of one', async () => {
    expect((await search({ real: () => 10 })).step).toBe(97);
    expect((await search({ real: () => 10, range: { lowest: 40, highest: 40 } })).step).toBe(40);
  });
});

describe('the steps of dimensions', () => {
  it('halve a side in four and end at an eighth of it', () => {
    const steps = dimensionSteps(3840);
    expect(steps[0]).toBe(3840);
    expect(steps[4]).toBe(1920);
    expect(steps.at(-1)).toBe(480);
  });

  it('do not go below 32 px, and a smaller image keeps its dimensions', () => {
    expect(Math.min(...dimensionSteps(100))).toBe(35);
    expect(dimensionSteps(31)).toEqual([31]);
    expect(dimensionSteps(1)).toEqual([1]);
  });

  it('are skipped if they cannot fit by their pixels, but never the first one that can', () => {
    for (const power of [1, 0.9, 0.8]) {
      for (const excess of [1.01, 1.2, 2, 3.7, 12, 60]) {
        const sizeAt = (step: number) => excess * (2 ** (-step / 2)) ** power;
        const first = Array.from({ length: 40 }, (_, step) => step).find((step) => sizeAt(step) <= 1 + 1e-9)!;
        let step = 0;
        let tries = 0;
        while (sizeAt(step) > 1 + 1e-9) {
          step = nextStep(step, sizeAt(step));
          tries++;
        }
        expect(step).toBe(first);
        expect(tries).toBeLessThanOrEqual(4);
      }
    }
  });

  it('advance by one if nothing is known', () => {
    expect(nextStep(3, 1)).toBe(4);
    expect(nextStep(3, 0.2)).toBe(4);
  });
});

describe('the floor', () => {
  const { policy } = readSettings({}).compression;
  const byteLimit = { maxBytes: 1000, allowsAny: false };

  it('is low, even if the target is higher', () => {
    expect(floorScore(policy, byteLimit)).toBe(QUALITY_TARGETS.low);
    expect(floorScore({ ...policy, targetScore: 0.999 }, byteLimit)).toBe(QUALITY_TARGETS.low);
  });

  it('is the target if that is lower, and none if any result is allowed', () => {
    expect(floorScore({ ...policy, targetScore: 0.95 }, byteLimit)).toBe(0.95);
    expect(floorScore(policy, { ...byteLimit, allowsAny: true })).toBe(0);
  });
});

describe('sizes in text', () => {
  it.each([
    ['200000', 200_000],
    ['200kB', 200_000],
    ['200 KB', 200_000],
    ['1.5MB', 1_500_000],
    ['2KiB', 2048],
    ['0.5MiB', 524_288],
    ['7b', 7],
    ['1.9', 1],
  ])('%s is %d bytes', (text, bytes) => expect(bytesFrom(text)).toBe(bytes));

  const WRONG = '|0|0.5|-1|kB|1e3|200 GB|200kBs|0x10|1,5MB|99999999999999999MB|٣';
  it.each(WRONG.split('|'))('"%s" is no size', (text) => expect(bytesFrom(text)).toBeUndefined());
});
