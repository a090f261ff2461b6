import { compressionCost, type CostlySource } from '../../../../src/compression/domain/compression-cost';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { readSettings } from '../../../../src/settings/settings';

const { policy } = readSettings({}).compression;
const photo: CostlySource = {
  format: 'jpeg',
  dimensions: { width: 4_000, height: 3_000 },
  bytesPerPixel: 3,
  heldBytes: 0,
};
const png: CostlySource = { ...photo, format: 'png' };
const cost = (source: CostlySource, asked: Partial<CompressionPolicy> = {}, target = source.format) =>
  compressionCost(source, { ...policy, ...asked }, target);

it('a photo of 12 megapixels costs about a second', () => {
  expect(cost(photo)).toBeGreaterThan(700);
  expect(cost(photo)).toBeLessThan(1_400);
});

it('a thumbnail costs what its source takes to decode', () => {
  const thumbnail = { maxDimensionPx: 16 };
  const large = { ...png, dimensions: { width: 16_340, height: 16_340 } };
  const share = (16_340 * 16_340) / (4_000 * 3_000);
  expect(cost(large, thumbnail) / cost(png, thumbnail)).toBeGreaterThan(share / 2);
  // Long by the standard of the workers.
  expect(cost(large, thumbnail)).toBeGreaterThan(3_000);
  expect(cost(png, thumbnail)).toBeLessThan(cost(png) / 20);
});

it.each<[string, CostlySource, Partial<CompressionPolicy>]>([
  ['samples of 16 bits', { ...png, bytesPerPixel: 6 }, {}],
  ['interlacing', { ...png, heldBytes: 36e6 }, {}],
  ['a larger result', png, { maxDimensionPx: 8_000 }],
  ['more effort', png, { effort: 'max' }],
  ['a budget', png, { budget: { maxBytes: 1_000, allowsAny: false } }],
])('%s costs more', (_, source, asked) => {
  const usual = { maxDimensionPx: 2_000, effort: 'fast' } as const;
  expect(cost(source, { ...usual, ...asked })).toBeGreaterThan(cost(png, usual));
});

it('a progressive JPEG costs more to decode', () => {
  const thumbnail = { maxDimensionPx: 16 };
  expect(cost({ ...photo, heldBytes: 36e6 }, thumbnail)).toBeGreaterThan(1.5 * cost(photo, thumbnail));
});

it('the target format decides, not that of the source', () => {
  expect(cost(photo, {}, 'png')).toBeGreaterThan(3 * cost(photo));
});
