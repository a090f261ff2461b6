import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import {
  remainingLoss,
  earlierLoss,
  allowedLoss,
  mayLimitLoss,
} from '../../../../../src/compression/domain/history/loss-allowance';

const target = 1 - QUALITY_TARGETS.high;
const floor = 1 - QUALITY_TARGETS.low;
const high = { targetScore: QUALITY_TARGETS.high } as const;
const strict = { ...high, isEncodedHere: true } as const;

it('is the whole target for an upload that has lost little', () => {
  expect(allowedLoss(high, 0, '4:2:0')).toBe(target);
  expect(allowedLoss(high, target, '4:2:0')).toBe(target);
  expect(allowedLoss(high, 1.5 * target, '4:4:4')).toBe(target);
});

it('is what the floor leaves for an upload with much loss, and 0 at the floor', () => {
  const partly = allowedLoss(high, 1.75 * target, '4:2:0');
  expect(partly).toBeLessThan(0.7 * target);
  expect(partly).toBeGreaterThan(0.25 * target);
  expect(allowedLoss(high, floor, '4:2:0')).toBe(0);
  expect(allowedLoss(high, 5 * target, '4:4:4')).toBe(0);
});

it('the total loss of all codings never exceeds the floor', () => {
  for (const chroma of ['4:2:0', '4:4:4'] as const) {
    const power = chroma === '4:2:0' ? 1.4 : 2;
    for (let spent = 0; spent < 0.03; spent += 0.0007) {
      const loss = allowedLoss(high, spent, chroma);
      if (loss > 0)
        expect((spent ** power + loss ** power) ** (1 / power)).toBeLessThanOrEqual(floor * 1.000001);
    }
  }
});

it('counts earlier losses against the target if this service has encoded the image before', () => {
  expect(allowedLoss(strict, 0, '4:4:4')).toBe(target);
  expect(allowedLoss(strict, 0.6 * target, '4:4:4')).toBeCloseTo(0.8 * target, 12);
  expect(allowedLoss(strict, target, '4:4:4')).toBe(0);
});

it('is 0 if so little is left that a lossless rewrite does as well', () => {
  expect(allowedLoss(strict, 0.95 * target, '4:4:4')).toBeGreaterThan(0);
  expect(allowedLoss(strict, 0.99 * target, '4:4:4')).toBe(0);
});

it('follows a target below the floor', () => {
  const lax = { targetScore: 0.95 } as const;
  expect(allowedLoss(lax, 0, '4:2:0')).toBeCloseTo(0.05, 12);
  expect(allowedLoss(lax, 0.03, '4:2:0')).toBeLessThan(0.05);
});

it('adds the losses of several codings, and subtracts them', () => {
  const coding = (reencodingLoss: number) => ({ reencodingLoss, isByThisEncoder: false });
  expect(earlierLoss([], '4:4:4')).toBe(0);
  expect(earlierLoss([coding(0.003), coding(0.004)], '4:4:4')).toBeCloseTo(0.005, 12);
  expect(earlierLoss([coding(0.003)], '4:2:0')).toBeGreaterThan(0.003);
  expect(earlierLoss([{ reencodingLoss: 0.003, isByThisEncoder: true }], '4:2:0')).toBeLessThan(
    earlierLoss([coding(0.003)], '4:2:0'),
  );
  expect(remainingLoss(0.005, 0.003, '4:4:4')).toBeCloseTo(0.004, 12);
  expect(remainingLoss(0.003, 0.005, '4:2:0')).toBe(0);
});

it('measures the coding of an upload only if it could limit another encode', () => {
  expect(mayLimitLoss(high, 91, '4:2:0')).toBe(false);
  expect(mayLimitLoss(high, 85, '4:2:0')).toBe(true);
  expect(mayLimitLoss(high, 85, '4:4:4')).toBe(false);
  expect(mayLimitLoss({ targetScore: QUALITY_TARGETS.medium }, 91, '4:2:0')).toBe(true);
  expect(mayLimitLoss(strict, 91, '4:2:0')).toBe(true);
  expect(mayLimitLoss(strict, 94, '4:2:0')).toBe(false);
});
