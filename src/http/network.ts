/** The network of a client: what limits, trials and shares count as one, because whoever has one of its addresses has others. */
import { normalizeIp } from '@nestjs/throttler';

/** Returns the /24 of an IPv4 address, and the /64 of an IPv6 address, which a subscriber gets as a whole. */
export function networkOf(ip = ''): string {
  return normalizeIp(ip).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}
