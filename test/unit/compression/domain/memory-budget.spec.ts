import { MemoryBudget } from '../../../../src/compression/domain/memory-budget';
import { keepableMemory, memoryDemand } from '../../../../src/compression/domain/memory-demand';

it('grants claims within the budget, and takes back each release once', () => {
  const budget = new MemoryBudget(100);
  const claim = budget.claim(60);
  expect(budget.claim(50)).toBeUndefined();
  expect(budget.claim(40)).toBeDefined();
  expect(budget.hasRoomFor(1)).toBe(false);
  claim?.release();
  claim?.release();
  expect(budget.usedBytes).toBe(40);
});

it('grants more than the whole budget only if nothing else is claimed', () => {
  const budget = new MemoryBudget(100);
  const claim = budget.claim(500);
  expect(claim).toBeDefined();
  expect(budget.claim(1)).toBeUndefined();
  claim?.release();
  budget.claim(1);
  expect(budget.claim(500)).toBeUndefined();
});

it('reserves a part for others, however much one holder claims', () => {
  const budget = new MemoryBudget(100, 75);
  expect(budget.claim(75, 'greedy')).toBeDefined();
  expect(budget.claim(10, 'greedy')).toBeUndefined();
  const claim = budget.claim(25, 'modest');
  expect(claim).toBeDefined();
  claim?.release();
  expect(budget.usedBytes).toBe(75);
});

it('lets a claim grow as long as there is room, and shrink', () => {
  const budget = new MemoryBudget(100, 60);
  const [one, other] = [budget.open('one'), budget.open('other')];
  expect([one.resize(10), other.resize(50), one.resize(50)]).toEqual([true, true, true]);
  expect([one.resize(51), budget.usedBytes]).toEqual([false, 100]);
  expect([other.resize(20), one.resize(60), one.resize(61)]).toEqual([true, true, false]);
  other.release();
  // A single claim may exceed the budget.
  expect(one.resize(500)).toBe(true);
  expect([one.resize(501, false), one.resize(60, false), one.resize(61, false)]).toEqual([
    false,
    true,
    false,
  ]);
  one.release();
  expect([one.resize(1), budget.usedBytes]).toEqual([false, 0]);
});

it.each([
  // Measured peaks above the idle worker, in MB: the estimate exceeds each, but by less than three times.
  ['jpeg', 1000, 800, 61],
  ['jpeg', 2000, 1500, 129],
  ['jpeg', 3000, 2000, 206],
  ['jpeg', 3840, 2880, 307],
  ['jpeg', 12000, 9000, 307],
  ['jpeg', 3840, 3840, 434],
  ['png', 3840, 2160, 557],
  ['png', 3840, 3840, 602],
  ['png', 1200, 800, 118],
] as const)('estimates a %s of %d x %d px', (format, width, height, measured) => {
  const estimate = memoryDemand(format, { width, height }, { maxDimensionPx: 3840 }) / 1e6;
  expect(estimate).toBeGreaterThanOrEqual(measured);
  expect(estimate).toBeLessThan(measured * 3);
});

it('estimates little for a thumbnail of a large upload', () => {
  const estimate = memoryDemand('jpeg', { width: 4000, height: 3000 }, { maxDimensionPx: 64 }, 0, 20e6);
  expect(estimate).toBeLessThan(100e6);
});

describe('memory that codecs keep between images', () => {
  const limits = { maxDimensionPx: 3840 };
  const base = 64 * 1024 * 1024;

  it('fits into the estimate of the next JPEG while that is decoded', () => {
    const size = { width: 3840, height: 2880 };
    const pixels = size.width * size.height;
    const kept = keepableMemory('jpeg', size, limits);
    // An encoder of this image takes 14 bytes per pixel at most; the decoder, 8.
    expect(kept).toBeGreaterThanOrEqual(14 * pixels);
    expect(kept + 8 * pixels).toBeLessThanOrEqual(memoryDemand('jpeg', size, limits));
  });

  it('makes way for a decoder that holds the whole source, for small images and for PNGs', () => {
    expect(keepableMemory('jpeg', { width: 3840, height: 2880 }, limits, 300e6)).toBe(base);
    expect(keepableMemory('jpeg', { width: 1000, height: 800 }, limits)).toBe(base);
    expect(keepableMemory('png', { width: 3840, height: 2880 }, limits)).toBe(base);
  });
});
