/** Room for images: draining, the queue, and memory in total and of one account. */
import { PassThrough } from 'node:stream';
import type { Sharer } from '../../../../src/contract/caller';
import { Admission } from '../../../../src/compression/http/admission';
import { partOf } from '../../../support/part-of';

interface State {
  readonly isDraining?: boolean;
  readonly isFullFor?: (sharer: Sharer) => boolean;
}

/** A budget of 100 bytes, of which one account may reserve 3.4 times an upload, but 30 in any case. */
function admissionOf(maxUploadBytes: number, { isDraining = false, isFullFor = () => false }: State = {}) {
  const settings = partOf<ConstructorParameters<typeof Admission>[2]>({
    memory: { uploadBytes: 100 },
    maxUploadBytes,
  });
  const runner = { hasPlaceFor: (sharer: Sharer) => !isFullFor(sharer), promisePlace: () => 7 };
  const admission = new Admission(partOf({ isDraining }), partOf(runner), settings);
  const fits = (ask: () => void) => {
    try {
      ask();
      return true;
    } catch {
      return false;
    }
  };
  const open = (account = '', network = account) => {
    const memory = admission.openFor(partOf(new PassThrough()), { account, network });
    return {
      take: (bytes: number) => fits(() => memory.resultWillTake(bytes)),
      release: () => memory.release(),
    };
  };
  return {
    admission,
    open,
    admits: (bytes: number, sharer: Sharer = {}) => fits(() => admission.admit(bytes, sharer)),
  };
}

it('reserves memory within the budget, and takes it back', () => {
  const { admission, open, admits } = admissionOf(100);
  const request = open();
  expect([request.take(60), open().take(50), open().take(20)]).toEqual([true, false, true]);
  expect(admits(1)).toBe(false);
  request.release();
  request.release();
  expect(admission.usedBytes).toBe(20);
  expect([request.take(1), admission.usedBytes]).toEqual([false, 20]);
});

it('reserves more than the whole budget only if nothing else is reserved', () => {
  const { open } = admissionOf(100);
  const request = open();
  expect([request.take(500), open().take(1)]).toEqual([true, false]);
  request.release();
  expect([open().take(1), open().take(500)]).toEqual([true, false]);
});

it('keeps a part for others, however much one account reserves', () => {
  const { admission, open, admits } = admissionOf(22);
  expect([open('greedy').take(74), open('greedy').take(10)]).toEqual([true, false]);
  const [network, account] = ['modest', 'greedy'];
  expect([admits(10), admits(10, { account, network }), admits(10, { network })]).toEqual([
    true,
    false,
    true,
  ]);
  const modest = open('modest');
  expect(modest.take(20)).toBe(true);
  modest.release();
  expect(admission.usedBytes).toBe(74);
});

it('a hundred accounts of one network leave a fifth to others, who leave something, too', () => {
  const { admission, open } = admissionOf(1);
  for (let i = 0; i < 1_000; i++) open(`account ${i % 100}`, 'network').take(1);
  expect(admission.usedBytes).toBe(80);
  for (let i = 0; i < 1_000; i++) open(`other ${i % 100}`, 'other').take(1);
  expect(admission.usedBytes).toBe(96);
  expect(open('third').take(3)).toBe(true);
});

it('lets a request reserve more as long as there is room, and less', () => {
  const { admission, open } = admissionOf(18);
  const [one, other] = [open('one'), open('other')];
  expect([one.take(10), other.take(50), one.take(40)]).toEqual([true, true, true]);
  expect([one.take(41), admission.usedBytes]).toEqual([false, 90]);
  expect([other.take(20), one.take(60), one.take(62)]).toEqual([true, true, false]);
  other.release();
  // A single request may exceed the budget.
  expect([one.take(500), admission.usedBytes]).toEqual([true, 500]);
  one.release();
  expect([one.take(1), admission.usedBytes]).toEqual([false, 0]);
});

it('draining refuses requests before their credentials, and finishes those that were admitted', () => {
  const { admission, open } = admissionOf(100, { isDraining: true });
  expect(() => admission.admit(1, {})).toThrow(expect.objectContaining({ code: 'draining' }) as Error);
  expect(() => admission.admit(1, { account: 'a' })).not.toThrow();
  expect(open('account').take(1)).toBe(true);
});

it('a full queue refuses anyone before the credentials, and accounts without a place after them, but takes no memory back', () => {
  const { admits, open } = admissionOf(100, { isFullFor: ({ account }) => account !== 'with a place' });
  expect(
    [undefined, 'other', 'with a place'].map((account) => admits(1, { ...(account && { account }) })),
  ).toEqual([false, false, true]);
  expect(open('other').take(1)).toBe(true);
});
