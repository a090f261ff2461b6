import { isTooSlow } from '../../../../src/compression/http/arriving-body';

const MIB = 1024 * 1024;

it.each([
  ['nothing in the first ten seconds', 0, 9, 20 * MIB, false],
  ['nothing after eleven', 0, 11, 20 * MIB, true],
  ['a large body at a pace that ends in time', 12 * MIB, 65, 20 * MIB, false],
  ['a large body at 8 KiB a second', MIB / 2, 64, 20 * MIB, true],
  ['a small body at 8 KiB a second', MIB / 2, 64, 0.7 * MIB, false],
  ['an unknown length at 8 KiB a second', MIB / 2, 64, undefined, false],
])('%s', (_, received, seconds, declared, verdict) => {
  expect(isTooSlow(received, seconds, declared)).toBe(verdict);
});
