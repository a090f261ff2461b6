import {
  compressionCost,
  type CostlySource,
  type TargetName,
} from '../../../../src/compression/domain/compression-cost';
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
const cost = (
  source: CostlySource,
  asked: Partial<CompressionPolicy> = {},
  target: TargetName = source.format,
) => compressionCost(source, { ...policy, ...asked }, target);

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

it('an animation costs what its frames take, whatever the largest dimension, and little if it is returned as it is', () => {
  const framesOf = (bytes: number) => ({ ...png, frames: { bytes, largestBytes: 1e6 } });
  expect(cost(framesOf(20e6), { maxDimensionPx: 16 })).toBe(cost(framesOf(20e6)));
  expect(cost(framesOf(20e6))).toBeGreaterThan(1.8 * cost(framesOf(10e6)));
  expect(cost(framesOf(200e6))).toBeLessThan(100);
});

it('the target format decides, not that of the source', () => {
  expect(cost(photo, {}, 'png')).toBeGreaterThan(3 * cost(photo));
});

it('an AVIF below 0.6 megapixels costs more than one a little larger, because it gets more effort', () => {
  const side = (pixels: number) => ({ ...photo, dimensions: { width: 600, height: pixels / 600 } });
  const [small, larger] = [side(540_000), side(660_000)];
  expect(cost(small, {}, 'avif')).toBeGreaterThan(3 * cost(larger, {}, 'avif'));
  expect(cost(small, {}, 'webp')).toBeLessThan(cost(larger, {}, 'webp'));
});

it('an image of one row costs as much as all rows that the encoder pads it to', () => {
  const rows = (height: number) => ({ ...png, dimensions: { width: 16_000, height } });
  const asked = { maxDimensionPx: 16_000 };
  expect(cost(rows(1), asked, 'avif') / cost(rows(8), asked, 'avif')).toBeGreaterThan(0.95);
  expect(cost(rows(1), asked, 'webp') / cost(rows(16), asked, 'webp')).toBeGreaterThan(0.95);
  expect(cost(rows(1), asked, 'avif')).toBeGreaterThan(500);
});
