import { readSettings, settingsReference } from '../../../src/settings/settings';

const reference = settingsReference();

it('describes every setting', () => {
  expect(reference.length).toBeGreaterThan(15);
  expect(reference.filter(({ meaning }) => meaning.length < 5)).toEqual([]);
});

it('names defaults that change nothing when they are set', () => {
  // Defaults that depend on the machine or on another setting are described in words.
  const inWords = ['WORKERS', 'QUEUE_LIMIT', 'MEMORY_BUDGET_MB', 'UPLOAD_FORMATS'];
  const env = Object.fromEntries(
    reference
      .filter(({ name, defaultValue }) => defaultValue !== undefined && !inWords.includes(name))
      .map(({ name, defaultValue }) => [name, defaultValue]),
  );
  expect(Object.keys(env)).toContain('QUALITY');
  expect(readSettings(env)).toEqual(readSettings({}));
});

it('lists the accepted values', () => {
  const accepted = Object.fromEntries(reference.map(({ name, accepts }) => [name, accepts]));
  expect(accepted['PORT']).toBe('0 to 65535');
  expect(accepted['SIGNUP']).toBe('open, closed');
  expect(accepted['QUALITY']).toMatch(/^low, medium, high, very-high, lossless, or a score/);
});
