import { bestThatFits, dimensionSteps } from '../../../../../src/compression/domain/byte-limit/fit-search';
import { bytesFrom } from '../../../../../src/contract/units';
import { randomNumbers } from '../../../../support/images';

const MAX_BYTES = 1000;
const SIDES = dimensionSteps(1600);
/** From the target `high` to `low`. */
const RANGE = Math.log(0.017 / 0.0086);

/** Searches with invented sizes, by share of the range and side. @param isExact whether the files of a side lose nothing */
async function search(
  size: (share: number, side: number) => number,
  sides = SIDES,
  isExact: (side: number) => boolean = () => false,
) {
  const attempts: string[] = [];
  const made = (share: number, side: number) => ({
    bytes: new Uint8Array(Math.round(size(share, side))),
    score: isExact(side) ? 1 : 0.99 - share / 100,
    share,
    side,
  });
  const found = await bestThatFits(
    {
      maxBytes: MAX_BYTES,
      sides,
      range: RANGE,
      attempt: (share, side) => {
        attempts.push(`${side} ${share}`);
        return Promise.resolve(made(share, side));
      },
    },
    made(0, sides[0]),
  );
  return { found, attempts };
}

/** A curve like those of encoders: `excess` is the size of the usual result ÷ the byte limit. */
const curve =
  (excess: number, lossSlope = -0.6, areaSlope = 0.85) =>
  (share: number, side: number) =>
    MAX_BYTES * excess * Math.exp(lossSlope * RANGE * share) * (side / SIDES[0]) ** (2 * areaSlope);

describe('the search for the best result that fits', () => {
  it('fills all but a tenth of the byte limit in a few attempts', async () => {
    for (const lossSlope of [-0.4, -0.6, -0.8]) {
      for (let excess = 1.05; excess < 20; excess *= 1.1) {
        const { found, attempts } = await search(curve(excess, lossSlope));
        expect(found!.bytes.length).toBeLessThanOrEqual(MAX_BYTES);
        expect(found!.bytes.length).toBeGreaterThan(MAX_BYTES * 0.9);
        expect(attempts.length).toBeLessThanOrEqual(8);
      }
    }
  });

  it('lowers the quality before the dimensions', async () => {
    expect((await search(curve(1.3))).found!.side).toBe(SIDES[0]);
    expect((await search(curve(1.6))).found!.side).toBe(SIDES[1]);
    // As a photo with a noisy ground.
    expect((await search(curve(2.4, -1.5))).found!.side).toBe(SIDES[0]);
  });

  it('takes the largest dimensions at which a file can lose something, whatever the size without loss', async () => {
    // A JPG in CMYK is only rewritten; scaled, it becomes RGB.
    const sizes = (share: number, side: number) => (side === SIDES[0] ? 9000 : curve(1.2)(share, side));
    const { found } = await search(sizes, SIDES, (side) => side === SIDES[0]);
    expect(found!.side).toBe(SIDES[1]);
  });

  it('returns only results that fit, with arbitrary sizes, and makes none twice', async () => {
    const random = randomNumbers(11);
    for (let round = 0; round < 500; round++) {
      const { found, attempts } = await search((_, side) => side * random() * 3 + 600);
      if (found) expect(found.bytes.length).toBeLessThanOrEqual(MAX_BYTES);
      expect(new Set(attempts).size).toBe(attempts.length);
    }
  });

  it('prefers the better of two results that fit at one side', async () => {
    // The sizes of palettes jump: coarser ones may be larger.
    const sizes = (share: number) => (share === 0 ? 1300 : share < 0.9 ? 700 : 940);
    expect((await search(sizes, [100])).found!.share).toBeLessThan(0.9);
  });

  it('finds nothing if the smallest side is too large', async () => {
    expect((await search(() => 1001)).found).toBeUndefined();
  });

  it('tries smaller sides at once if the target is as low as the lowest score', async () => {
    const { found } = await search(curve(1.5, 0));
    expect(found!.side).toBeLessThan(SIDES[0]);
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

  it.each([
    '',
    '0',
    '0.5',
    '-1',
    'kB',
    '1e3',
    '200 GB',
    '200kBs',
    '0x10',
    '1,5MB',
    '99999999999999999MB',
    '٣',
  ])('"%s" is no size', (text) => expect(bytesFrom(text)).toBeUndefined());
});
