/** Compares the invitation code of a client with the configured one. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns whether the codes are equal, in constant time whatever their lengths and wherever they differ. */
export function isSameCode(sent = '', code = ''): boolean {
  const [one, other] = [sent, code].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one, other);
}
