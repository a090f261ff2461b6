import { jpegCurve, searchRange } from '../../../../../src/compression/application/jpeg/jpeg-format';
import { searchQuality } from '../../../../../src/compression/domain/search/quality-search';
import { TrialCurve } from '../../../../../src/compression/domain/search/trial-curve';

const allowed = 0.01;

it('at a density, encodes between a failure and a result that leaves much of the loss unused', async () => {
  const whole = (quality: number) =>
    quality < 50 ? 1.2 * allowed : quality < 56 ? 0.95 * allowed : 0.5 * allowed;
  const trial = (quality: number) =>
    Promise.resolve({ loss: allowed * ((101 - quality) / 56) ** 0.85, size: 1000 });
  const curve = new TrialCurve('4:2:0', trial, jpegCurve('4:2:0', 2));
  await curve.find(allowed, searchRange(2), 60);
  const encode = (quality: number) => Promise.resolve({ quality, score: 1 - whole(quality) });
  const patience = { toleratedRoom: 0.1, encodesForBytes: 2 };
  const options = {
    range: searchRange(2),
    allowedLoss: allowed,
    effort: 'balanced',
    relativeError: 0.03,
  } as const;
  const { passing, tried } = await searchQuality(curve, { ...options, encode, patience });
  expect(whole(passing!.quality)).toBe(0.95 * allowed);
  expect(tried.length).toBeLessThanOrEqual(4);
});
