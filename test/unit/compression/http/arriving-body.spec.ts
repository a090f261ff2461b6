/** How slowly an upload may arrive. */
import { isTooSlow } from '../../../../src/compression/http/arriving-body';

const KIB = 1024;
const MIB = 1024 * KIB;

it.each([
  ['nothing in the first ten seconds', 0, 9, 20 * MIB, false],
  ['nothing after eleven', 0, 11, 20 * MIB, true],
  ['a large body at a pace that ends in time', 12 * MIB, 65, 20 * MIB, false],
  ['a large body at 8 KiB a second', MIB / 2, 64, 20 * MIB, true],
  ['a small body at 8 KiB a second', MIB / 2, 64, 0.7 * MIB, false],
  ['an unknown length at 8 KiB a second after the first ten', 50 * 8 * KIB, 60, 0, false],
  ['an unknown length below 8 KiB a second', 50 * 8 * KIB - 1, 60, 0, true],
  ['a hundredth of the declared length a second', 10 * MIB, 60, 20 * MIB, false],
  ['less than a hundredth of the declared length a second', 10 * MIB - 1, 60, 20 * MIB, true],
])('%s', (_, received, seconds, declared, verdict) => {
  expect(isTooSlow(received, seconds, declared)).toBe(verdict);
});
