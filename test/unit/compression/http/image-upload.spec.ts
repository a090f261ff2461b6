import { fairShareKey } from '../../../../src/compression/http/image-upload.interceptor';
import { partOf } from '../../../support/part-of';

it('gives all trials of one network one share, and each account its own', () => {
  const shareKeyAt = (ip: string, isTrial: boolean) =>
    fairShareKey(partOf({ ip, context: { caller: { accountId: 'a', keyId: 'k', isTrial } } }));
  const trials = (ip: string) => shareKeyAt(ip, true);
  expect(trials('::ffff:192.0.2.1')).toBe(trials('192.0.2.1'));
  // A subscriber gets a whole /64 of IPv6.
  expect(trials('2001:db8:0:1::1')).toBe(trials('2001:db8:0:1:ffff::2'));
  expect(trials('2001:db8:0:1::1')).not.toBe(trials('2001:db8:0:2::1'));
  expect(trials('192.0.2.1')).not.toBe(trials('192.0.2.2'));
  expect(shareKeyAt('192.0.2.1', false)).toBe('a');
});
