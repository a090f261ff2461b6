import { isIPv6 } from 'node:net';

/** Returns what counts as one client: an IPv4 address, or the /64 network of an IPv6 address. Other text stays as it is. */
export function clientNetwork(ip = ''): string {
  const address = ip.replace(/%.*/, '');
  if (!isIPv6(address)) return address;
  // The URL parser writes all groups in hexadecimal, and the longest zeros as "::".
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const groups = (text = '') => text.split(':').filter(Boolean);
  const [left, right] = written.split('::').map(groups);
  const all = right ? [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right] : left;
  if (written.startsWith('::ffff:') && right?.length === 3) {
    const [high, low] = right.slice(1).map((group) => parseInt(group, 16));
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${all.slice(0, 4).join(':')}::/64`;
}
