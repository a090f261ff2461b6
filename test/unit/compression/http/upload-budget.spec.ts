import { MemoryBudget } from '../../../../src/compression/domain/memory-budget';

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
