import { digestOfOutputId, newOutputId } from '../../../../src/tinify/domain/output';

it('an id has 160 random bits, and is stored as its SHA-256 digest', () => {
  const ids = Array.from({ length: 1_000 }, newOutputId);
  for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(20);
  // Each byte takes nearly all of its values.
  for (let at = 0; at < 20; at++)
    expect(new Set(ids.map((id) => Buffer.from(id, 'base64url')[at])).size).toBeGreaterThan(200);
  // Test vector of FIPS 180-2.
  expect(digestOfOutputId('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
