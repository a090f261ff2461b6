import { remainingLoss } from '../../../src/compression/domain/spent-quality';

it.each([
  ['ours, at the target', true, 0.7, 0],
  ['ours, found a little better than asked', true, 0.45, 0],
  ['our encoder at a high quality', true, 0.3, 0.9],
  ['another encoder, coarser than the target', false, 1.7, 0],
  ['another encoder, at the target', false, 0.66, 0],
  ['another encoder, with half of the loss left: by squares', false, 0.5, 0.71],
  ['a camera at its best', false, 0.05, 1],
])('%s', (_, isOurTable, lossOnceMore, remaining) => {
  expect(remainingLoss({ quality: 80, isOurTable }, '4:2:0', lossOnceMore)).toBeCloseTo(remaining, 1);
});

it('takes less for lost where the chroma is whole', () => {
  const saved = { quality: 90, isOurTable: false };
  expect(remainingLoss(saved, '4:4:4', 0.6)).toBeGreaterThan(remainingLoss(saved, '4:2:0', 0.6));
});
