import { MemoryBudget } from '../../../src/compression/domain/memory-budget';
import { memoryDemand } from '../../../src/compression/domain/memory-demand';

it('gives what it has, and takes back what is released, once', () => {
  const budget = new MemoryBudget(100);
  const release = budget.claim(60);
  expect(budget.claim(50)).toBeUndefined();
  expect(budget.claim(40)).toBeDefined();
  expect(budget.hasRoomFor(1)).toBe(false);
  release?.();
  release?.();
  expect(budget.usedBytes).toBe(40);
});

it('lets in what is larger than all of it only when nothing else is there', () => {
  const budget = new MemoryBudget(100);
  const release = budget.claim(500);
  expect(release).toBeDefined();
  expect(budget.claim(1)).toBeUndefined();
  release?.();
  budget.claim(1);
  expect(budget.claim(500)).toBeUndefined();
});

it('keeps some for the others, whatever one holder asks for', () => {
  const budget = new MemoryBudget(100, 75);
  expect(budget.claim(75, 'greedy')).toBeDefined();
  expect(budget.claim(10, 'greedy')).toBeUndefined();
  const release = budget.claim(25, 'modest');
  expect(release).toBeDefined();
  release?.();
  expect(budget.usedBytes).toBe(75);
});

it.each([
  // Peaks over the idle worker that were measured, in MB: the forecast lies above each, by less than three times.
  ['jpeg', 4032, 3024, 400],
  ['jpeg', 4000, 2350, 308],
  ['jpeg', 12000, 9000, 413],
  ['png', 3840, 2160, 557],
  ['png', 3840, 3840, 602],
  ['png', 1200, 800, 118],
] as const)('foretells a %s of %d x %d px', (format, width, height, measured) => {
  const foretold = memoryDemand(format, { width, height }, 3840) / 1e6;
  expect(foretold).toBeGreaterThanOrEqual(measured);
  expect(foretold).toBeLessThan(measured * 3);
});
