/** The network of a client. Limits, trials and shares count per network, because a client often controls many addresses of one. */
import { normalizeIp } from '@nestjs/throttler';

/** Returns the /24 of an IPv4 address, and the /64 of an IPv6 address, which a subscriber gets as a whole. */
export function networkOf(ip = ''): string {
  return normalizeIp(ip).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}
