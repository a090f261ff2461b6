import { mayHaveFormat, savesEnough } from '../../../../src/compression/domain/compression-policy';

it.each([
  [500, 0.02, true],
  [980, 0.02, true],
  [981, 0.02, false],
  [999, 0, true],
  [1000, 0, false],
  [1001, 0, false],
])('a result of %d bytes replaces an upload of 1000 if it must save %d of it: %s', (size, least, saves) => {
  expect(savesEnough(1000, size, { minSavingsRatio: least })).toBe(saves);
});

it('a result has the format of the upload or an accepted one; "same" is no format', () => {
  const allowed = (format: string) => mayHaveFormat(format, 'png', { formats: ['same', 'webp'] });
  expect(['png', 'webp', 'jpeg', 'same', 'qoi'].filter(allowed)).toEqual(['png', 'webp']);
  expect(mayHaveFormat('jpeg', 'jpeg', {})).toBe(true);
});
