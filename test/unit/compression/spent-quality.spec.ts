import { isSpent } from '../../../src/compression/domain/spent-quality';

it.each([
  ['ours, at the target', true, 0.95, true],
  ['ours, found a little better than asked', true, 0.65, true],
  ['our encoder at a high quality', true, 0.3, false],
  ['another encoder, coarser than the target', false, 1.7, true],
  ['another encoder, at the target', false, 0.92, true],
  ['another encoder, with room', false, 0.8, false],
])('%s', (_, isOurTable, loss, expected) => {
  expect(isSpent({ quality: 80, isOurTable }, loss)).toBe(expected);
});
