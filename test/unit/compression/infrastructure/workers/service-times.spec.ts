import { compressionCost } from '../../../../../src/compression/domain/compression-cost';
import { ServiceTimes } from '../../../../../src/compression/infrastructure/workers/service-times';
import { readSettings } from '../../../../../src/settings/settings';

const { policy, ...settings } = readSettings({}).compression;
const png = (width: number, height: number, maxDimensionPx = policy.maxDimensionPx) =>
  compressionCost(
    { format: 'png', dimensions: { width, height }, bytesPerPixel: 3, heldBytes: 0 },
    { ...policy, maxDimensionPx },
    'png',
  );

it('knows nothing reliable before some images have finished, and learns the pace of each target format', () => {
  const times = new ServiceTimes();
  expect(times.expected('jpeg', 1_000)).toBe(1_000);
  expect(times.minimum('jpeg', 1_000)).toBe(0);
  for (let i = 0; i < 200; i++) times.record('jpeg', 1_000, 3_000);
  expect(times.expected('jpeg', 1_000)).toBeCloseTo(3_000, 0);
  expect(times.minimum('jpeg', 500)).toBeCloseTo(375, 0);
  expect(times.expected('png', 1_000)).toBe(1_000);
});

it.each([1, 100_000])('changes its predictions by 7%% at most for an image that took %i ms', (ms) => {
  const times = new ServiceTimes();
  times.record('png', 1_000, ms);
  expect(Math.abs(Math.log(times.expected('png', 1_000) / 1_000))).toBeLessThan(0.07);
});

it('counts a killed image with the time it took, if that was longer than predicted', () => {
  const times = new ServiceTimes();
  times.recordUnfinished('png', 1_000, 900);
  expect(times.expected('png', 1_000)).toBe(1_000);
  times.recordUnfinished('png', 1_000, 30_000);
  expect(times.expected('png', 1_000)).toBeGreaterThan(1_000);
});

it('thumbnails of large images do not make ordinary images look hopeless', () => {
  const times = new ServiceTimes();
  const { deadlineMs } = settings.pool;
  for (let i = 0; i < 3; i++) times.record('png', png(16_340, 16_340, 16), 8_000);
  expect(times.minimum('png', png(3_000, 2_000))).toBeLessThan(deadlineMs / 10);
  for (let i = 0; i < 3; i++) times.recordUnfinished('png', png(16_340, 16_340, 16), deadlineMs);
  expect(times.minimum('png', png(3_000, 2_000))).toBeLessThan(deadlineMs / 10);
});
