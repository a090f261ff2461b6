import { remainingLoss } from '../../../src/compression/domain/spent-quality';

const allowed = 0.0086;

it.each([
  ['ours, at the target', 80, true, 0.7, 0],
  ['ours, of a picture whose noise is gone', 80, true, 0.15, 0],
  ['ours, of a picture that needed a high quality', 94, true, 0.35, 0],
  ['our encoder, at a quality that we would hardly choose', 95, true, 0.2, 0.96],
  ['our encoder, of a picture that lost nothing', 80, true, 0.05, 1],
  ['another encoder, coarser than the target', 80, false, 1.7, 0],
  ['another encoder, at the target', 80, false, 0.66, 0],
  ['another encoder, with half of the loss left: by squares', 80, false, 0.5, 0.71],
  ['a camera at its best', 98, false, 0.05, 1],
])('%s', (_, quality, isOurTable, lossOnceMore, remaining) => {
  const left = remainingLoss({ quality, isOurTable }, '4:2:0', allowed, lossOnceMore * allowed);
  expect(left).toBeCloseTo(remaining, 1);
});

it('takes less for lost where the chroma is whole', () => {
  const left = (chroma: '4:2:0' | '4:4:4') =>
    remainingLoss({ quality: 90, isOurTable: false }, chroma, allowed, 0.6 * allowed);
  expect(left('4:4:4')).toBeGreaterThan(left('4:2:0'));
});

it('expects our own files at lower qualities where the operator allows more', () => {
  const saved = { quality: 88, isOurTable: true };
  expect(remainingLoss(saved, '4:2:0', allowed, 0.2 * allowed)).toBe(0);
  expect(remainingLoss(saved, '4:2:0', 3 * allowed, 0.2 * 3 * allowed)).toBeGreaterThan(0.9);
});
