/** Which addresses belong to the public internet (IANA special-purpose registries for IPv4 and IPv6). */
import { BlockList, isIP } from 'node:net';

/** Private, local, shared, reserved, documentation, benchmark, multicast, and prefixes that contain IPv4 addresses. */
// prettier-ignore
const SPECIAL: readonly [string, number][] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  // Azure's virtual machines reach their platform here: DNS, health probes, extensions.
  ['168.63.129.16', 32],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
  ['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20],
];

const special = new BlockList();
for (const [net, bits] of SPECIAL) special.addSubnet(net, bits, familyOf(net));

/** All global unicast addresses of IPv6; mapped, translated, local and multicast ones lie outside. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Returns false for private addresses and for text that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const family = familyOf(address);
  return !special.check(address, family) && (family === 'ipv4' || globalUnicast.check(address, family));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
