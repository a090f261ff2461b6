/** Room for images: draining, the queue, and memory in total and of one account. */
import { PassThrough } from 'node:stream';
import { Admission } from '../../../../src/compression/http/admission';
import { partOf } from '../../../support/part-of';

interface State {
  readonly isDraining?: boolean;
  readonly isFullFor?: (account?: string) => boolean;
}

/** A budget of 100 bytes, of which one account may reserve 3.4 times an upload, but 30 in any case. */
function admissionOf(maxUploadBytes: number, { isDraining = false, isFullFor = () => false }: State = {}) {
  const settings = partOf<ConstructorParameters<typeof Admission>[2]>({
    memory: { uploadBytes: 100 },
    maxUploadBytes,
  });
  const runner = { hasPlaceFor: (account?: string) => !isFullFor(account), promisePlace: () => 7 };
  const admission = new Admission(partOf({ isDraining }), partOf(runner), settings);
  const fits = (ask: () => void) => {
    try {
      ask();
      return true;
    } catch {
      return false;
    }
  };
  const open = (shareKey = '') => {
    const memory = admission.openFor(partOf(new PassThrough()), shareKey);
    return {
      take: (bytes: number) => fits(() => memory.resultWillTake(bytes)),
      release: () => memory.release(),
    };
  };
  return {
    admission,
    open,
    admits: (...room: Parameters<Admission['admit']>) => fits(() => admission.admit(...room)),
  };
}

it('reserves memory within the budget, and takes it back', () => {
  const { admission, open, admits } = admissionOf(100);
  const request = open();
  expect([request.take(60), open().take(50), open().take(40)]).toEqual([true, false, true]);
  expect(admits(1)).toBe(false);
  request.release();
  request.release();
  expect(admission.usedBytes).toBe(40);
  expect([request.take(1), admission.usedBytes]).toEqual([false, 40]);
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
  expect([admits(10), admits(10, 'greedy'), admits(10, 'modest')]).toEqual([true, false, true]);
  const modest = open('modest');
  expect(modest.take(25)).toBe(true);
  modest.release();
  expect(admission.usedBytes).toBe(74);
});

it('lets a request reserve more as long as there is room, and less', () => {
  const { admission, open } = admissionOf(18);
  const [one, other] = [open('one'), open('other')];
  expect([one.take(10), other.take(50), one.take(50)]).toEqual([true, true, true]);
  expect([one.take(51), admission.usedBytes]).toEqual([false, 100]);
  expect([other.take(20), one.take(60), one.take(62)]).toEqual([true, true, false]);
  other.release();
  // A single request may exceed the budget.
  expect([one.take(500), admission.usedBytes]).toEqual([true, 500]);
  one.release();
  expect([one.take(1), admission.usedBytes]).toEqual([false, 0]);
});

it('draining refuses requests before their credentials, and finishes those that were admitted', () => {
  const { admission, open } = admissionOf(100, { isDraining: true });
  expect(() => admission.admit(1)).toThrow(expect.objectContaining({ code: 'draining' }) as Error);
  expect(() => admission.admit(1, 'account')).not.toThrow();
  expect(open('account').take(1)).toBe(true);
});

it('a full queue refuses anyone before the credentials, and accounts without a place after them, but takes no memory back', () => {
  const { admits, open } = admissionOf(100, { isFullFor: (account) => account !== 'with a place' });
  expect([admits(1), admits(1, 'other'), admits(1, 'with a place')]).toEqual([false, false, true]);
  expect(open('other').take(1)).toBe(true);
});
