import type { ShownImage } from '../../../../src/compression/application/opened-image';
import { MosaicJudge } from '../../../../src/compression/domain/judge';
import { LossyAttempt, searchInTurn } from '../../../../src/compression/application/lossy-attempt';
import type { LossyCoding } from '../../../../src/compression/application/result-format.port';
import { Stopwatch, type Context } from '../../../../src/compression/application/context';
import type { Pixels } from '../../../../src/compression/domain/pixels';
import { pixelsOf } from '../../../support/images';
import { partOf } from '../../../support/part-of';

const allowedLoss = 0.0086;
const pixels = pixelsOf(10, 10, 1, () => 0);
/** Falls by a half more a step than is usual, and meets the allowed loss at step 60. */
const lossAt = (step: number) => allowedLoss * Math.exp(0.05 * 1.5 * (60.01 - step) - 0.02);
const curve: LossyCoding['curve'] = () => ({
  position: (step) => -0.05 * step,
  qualityAt: (position) => -position / 0.05,
  lossSlope: 1,
  sizeSlope: -0.8,
  riseByDensity: 1,
  hasJumps: false,
});
const trialsOf = (of: 'whole' | 'mosaic') => ({
  chroma: '4:4:4' as const,
  curve,
  range: () => ({ lowest: 0, highest: 100 }),
  tiles: {},
  trials: () => ({ of, firstStep: 50, lossRatio: 1, sizeRatio: 1 }),
  patience: () => ({ toleratedRoom: 0.1, encodesForBytes: 2 }),
});
const context = partOf<Context>({ policy: { effort: 'balanced' }, stopwatch: new Stopwatch() });
const mosaic = () => new MosaicJudge({ pixels, tile: pixels, share: 1 });
const decode = (file: Uint8Array) => Promise.resolve({ ...pixels, data: file });

type Judged = ReturnType<ReturnType<ShownImage['judge']>['judge']>;
/** Begins to encode a photo. @param judge of the bytes of a file, which are its pixels */
function begin(coding: LossyCoding, judge: (bytes: Uint8Array) => Judged, shown = pixels) {
  const judgeOfPixels = () => ({
    allowedLoss,
    prepare: () => undefined,
    judge: ({ data }: Pixels) => judge(data),
  });
  const image = partOf<ShownImage>({ pixels: shown, isPhoto: true, metadata: {}, judge: judgeOfPixels });
  return new LossyAttempt(coding, { image, context, mosaic, decode }).start();
}
const scored = (searchScore: number) => ({ score: searchScore, searchScore });

it('goes where the slope that a trial has told leads, in steps', async () => {
  const encoded: string[] = [];
  const told: unknown[] = [];
  const coding: LossyCoding = {
    ...trialsOf('whole'),
    stepQuality: (step) => 2 * step,
    lossSlope: (...facts) => {
      told.push(facts);
      return 1.5;
    },
    encode: (_, { quality, purpose }) => {
      encoded.push(`${purpose} ${quality}`);
      return Promise.resolve(new Uint8Array(50).fill(quality));
    },
  };
  const judge = ([value]: Uint8Array) => ({ score: 0.5, searchScore: 1 - lossAt(value / 2) });
  const attempt = await begin(coding, judge);
  expect((await attempt.search())?.facts).toMatchObject({ quality: 120, score: 0.5 });
  expect(encoded).toEqual(['trial 100', 'trial 120', 'delivery 120']);
  // 50 bytes for 100 pixels are 4 bits a pixel.
  expect(told[0]).toMatchObject([4, 50, { effort: 'balanced', pixelCount: 100, isPhoto: true }]);
});

it('lets an encoder know how many bits the first trial of a mosaic took', async () => {
  const known: unknown[] = [];
  const coding: LossyCoding = {
    ...trialsOf('mosaic'),
    encode: (_, { purpose, image }) => {
      known.push([purpose, image.trialBits]);
      return Promise.resolve(new Uint8Array(100));
    },
  };
  const attempt = await begin(coding, () => scored(1));
  await attempt.encode(50);
  // 100 bytes for 100 pixels.
  expect(known).toEqual([
    ['trial', undefined],
    ['delivery', 8],
  ]);
});

it.each([
  ['searches all codings of a nearly flat image', 18, 17],
  ['searches only the first coding of any other', 19, 19],
])('%s', async (_, bytes, delivered) => {
  const flat = pixelsOf(10, 100, 1, () => 0);
  const attempts = [bytes, 17].map((length) => {
    const coding = { ...trialsOf('whole'), encode: () => Promise.resolve(new Uint8Array(length)) };
    return begin(coding, () => scored(1 - 0.99 * allowedLoss), flat);
  });
  expect((await searchInTurn(await Promise.all(attempts)))?.bytes).toHaveLength(delivered);
});

it('leaves a coding that fails at more than the size of the next one', async () => {
  const [FAILS, PASSES] = [9, 1];
  const delivered: string[] = [];
  const judge = ([value]: Uint8Array) => scored(1 - (value === FAILS ? 2 : 0.99) * allowedLoss);
  const attempts = ['shared', 'full'].map((chroma) => {
    const coding: LossyCoding = {
      ...trialsOf('whole'),
      encode: (_, { purpose }) => {
        if (purpose === 'trial') return Promise.resolve(new Uint8Array(500).fill(PASSES));
        delivered.push(chroma);
        return Promise.resolve(new Uint8Array(700).fill(chroma === 'shared' ? FAILS : PASSES));
      },
    };
    return begin(coding, judge);
  });
  expect((await searchInTurn(await Promise.all(attempts)))?.bytes[0]).toBe(PASSES);
  expect(delivered).toEqual(['shared', 'full']);
});

it.each([
  ['begins none if the trials predict larger files', { trialBytes: 60 }, [], undefined],
  ['ends after one that fails and is too large', { trialBytes: 50, loss: 1.5 }, [51], undefined],
  ['goes on after one that fails and is small', { loss: 1.5, bytes: 42 }, [42, 53], 53],
  ['ends after one that passes if a lower quality is too large', { loss: 0.8, bytes: 60 }, [60], 60],
  ['goes on after one that passes if a lower quality may be small', { loss: 0.8, bytes: 53 }, [53, 47], 47],
])('of files that are of use up to 50 bytes, %s', async (_, invented, sizes, delivered) => {
  const { trialBytes = 50, loss = 1, bytes = 51 } = invented as Record<string, number | undefined>;
  const encoded: number[] = [];
  const coding: LossyCoding = {
    ...trialsOf('whole'),
    encode: (_, { quality, purpose }) => {
      const isTrial = purpose === 'trial';
      // The quality that meets the allowed loss in trials has the invented size.
      const length = Math.round((isTrial ? trialBytes : bytes) * Math.exp(0.04 * (quality - 60)));
      if (!isTrial) encoded.push(length);
      return Promise.resolve(Uint8Array.from({ length }, () => quality + (isTrial ? 0 : 100)));
    },
  };
  const judge = ([step]: Uint8Array) => scored(1 - (step > 100 ? loss * lossAt(step - 100) : lossAt(step)));
  const attempt = await begin(coding, judge);
  const found = await attempt.search(50);
  expect([encoded, found?.bytes.length]).toEqual([sizes, delivered]);
});
