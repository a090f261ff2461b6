import { chooseSmallest, mayHaveFormat } from '../../../../src/compression/domain/compression-policy';

const of = (size: number) => ({ bytes: new Uint8Array(size) });
const rule = { minSavingsRatio: 0.02, mustChange: false };

it('takes the smallest candidate', () => {
  expect(chooseSmallest(1000, [of(700), of(500), of(600)], rule)?.bytes.length).toBe(500);
});

it('takes a gain of exactly the minimum, and none below it', () => {
  expect(chooseSmallest(1000, [of(980)], rule)?.bytes.length).toBe(980);
  expect(chooseSmallest(1000, [of(981)], rule)).toBeUndefined();
});

it('takes no candidate that is as large as the original or larger, even with no minimum', () => {
  const free = { minSavingsRatio: 0, mustChange: false };
  expect(chooseSmallest(1000, [of(1000)], free)).toBeUndefined();
  expect(chooseSmallest(1000, [of(1001)], free)).toBeUndefined();
  expect(chooseSmallest(1000, [of(999)], free)?.bytes.length).toBe(999);
});

it('always returns the smallest one if the original may not be returned', () => {
  expect(chooseSmallest(1000, [of(3000), of(2000)], { ...rule, mustChange: true })?.bytes.length).toBe(2000);
});

it('returns undefined without candidates', () => {
  expect(chooseSmallest(1000, [], rule)).toBeUndefined();
});

it('a result has the format of the upload or an accepted one; "same" is no format', () => {
  const allowed = (format: string) => mayHaveFormat(format, 'png', { formats: ['same', 'webp'] });
  expect(['png', 'webp', 'jpeg', 'same', 'qoi'].filter(allowed)).toEqual(['png', 'webp']);
  expect(mayHaveFormat('jpeg', 'jpeg', {})).toBe(true);
});
