import {
  digestKey,
  digestsMatch,
  shortenKey,
  generateApiKey,
  isWellFormedApiKey,
} from '../../../../src/accounts/domain/api-key';

it('creates distinct keys of the documented format', () => {
  const keys = Array.from({ length: 200 }, generateApiKey);
  for (const key of keys) expect(key).toMatch(/^ics_[0-9A-Za-z]{33}$/);
  expect(new Set(keys).size).toBe(200);
  // 27 characters of 62: at least 160 bits.
  expect(27 * Math.log2(62)).toBeGreaterThan(160);
  const seen = new Set(keys.map((key) => key.slice(4, 31)).join(''));
  expect(seen.size).toBe(62);
});

it('recognises every single wrong or swapped character without a look-up', () => {
  const key = generateApiKey();
  expect(isWellFormedApiKey(key)).toBe(true);
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === 'x' ? 'y' : 'x';
    expect(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
    if (i > 0 && key[i] !== key[i - 1]) {
      expect(isWellFormedApiKey(key.slice(0, i - 1) + key[i] + key[i - 1] + key.slice(i + 1))).toBe(false);
    }
  }
  for (const text of ['', 'ics_', key + 'a', ` ${key}`, key.toUpperCase(), 'ics_' + 'é'.repeat(33)]) {
    expect(isWellFormedApiKey(text)).toBe(false);
  }
});

it('keeps a SHA-256 digest and ten characters', () => {
  expect(digestKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(shortenKey('ics_abcdefghij')).toBe('ics_abcdef');
});

it('compares digests', () => {
  expect(digestsMatch(digestKey('a'), digestKey('a'))).toBe(true);
  expect(digestsMatch(digestKey('a'), digestKey('b'))).toBe(false);
  expect(digestsMatch(digestKey('a'), 'ab')).toBe(false);
});
