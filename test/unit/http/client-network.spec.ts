import { clientNetwork } from '../../../src/http/client-network';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:DB8::7', '2001:db8:0:0::/64'],
  ['2001:db8:0:1:0:0:0:7', '2001:db8:0:1::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3::', '1:2:3:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
  [undefined, ''],
])('%s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
