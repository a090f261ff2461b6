import crypto from 'node:crypto';
import { isSameCode } from '../../../../src/accounts/domain/invitation-code';

it.each([
  ['the same code', 'open-sesame', true],
  ['no code', undefined, false],
  ['an empty code', '', false],
  ['its beginning', 'open', false],
  ['another code of the same length', 'open-sesamf', false],
  ['a longer one', 'open-sesame!'.repeat(100), false],
])('compares %s in constant time', (_, sent, isSame) => {
  const compare = jest.spyOn(crypto, 'timingSafeEqual');
  expect(isSameCode(sent, 'open-sesame')).toBe(isSame);
  // Digests, so that their lengths do not tell that of the code.
  expect(compare.mock.calls.map((buffers) => buffers.map(({ byteLength }) => byteLength))).toEqual([
    [32, 32],
  ]);
  compare.mockRestore();
});
