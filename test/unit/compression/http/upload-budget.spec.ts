import { PassThrough } from 'node:stream';
import { UploadBudget } from '../../../../src/compression/http/upload-budget';
import { partOf } from '../../../support/part-of';

/** A budget of 100 bytes, of which one account may reserve 3.4 times an upload, but 30 in any case. */
function budgetOf(maxUploadBytes: number) {
  const budget = new UploadBudget(partOf({ memory: { uploadBytes: 100 }, maxUploadBytes }));
  const open = (shareKey = '') => {
    const memory = budget.openFor(partOf(new PassThrough()), 0, shareKey);
    const fits = (reserve: () => void) => {
      try {
        reserve();
        return true;
      } catch {
        return false;
      }
    };
    return {
      take: (bytes: number) => fits(() => memory.resultWillTake(bytes)),
      release: () => memory.release(),
    };
  };
  return { budget, open };
}

it('reserves memory within the budget, and takes it back', () => {
  const { budget, open } = budgetOf(100);
  const request = open();
  expect([request.take(60), open().take(50), open().take(40)]).toEqual([true, false, true]);
  expect(budget.hasRoomFor(1)).toBe(false);
  request.release();
  request.release();
  expect(budget.usedBytes).toBe(40);
});

it('reserves more than the whole budget only if nothing else is reserved', () => {
  const { open } = budgetOf(100);
  const request = open();
  expect([request.take(500), open().take(1)]).toEqual([true, false]);
  request.release();
  expect([open().take(1), open().take(500)]).toEqual([true, false]);
});

it('keeps a part for others, however much one account reserves', () => {
  const { budget, open } = budgetOf(22);
  expect([open('greedy').take(74), open('greedy').take(10)]).toEqual([true, false]);
  const modest = open('modest');
  expect(modest.take(25)).toBe(true);
  modest.release();
  expect(budget.usedBytes).toBe(74);
});

it('lets a request reserve more as long as there is room, and less', () => {
  const { budget, open } = budgetOf(18);
  const [one, other] = [open('one'), open('other')];
  expect([one.take(10), other.take(50), one.take(50)]).toEqual([true, true, true]);
  expect([one.take(51), budget.usedBytes]).toEqual([false, 100]);
  expect([other.take(20), one.take(60), one.take(62)]).toEqual([true, true, false]);
  other.release();
  // A single request may exceed the budget.
  expect([one.take(500), budget.usedBytes]).toEqual([true, 500]);
  one.release();
  expect([one.take(1), budget.usedBytes]).toEqual([false, 0]);
});
