/** Compares the code that a client sends to sign up with the code of the settings. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns whether the codes are equal. Takes the same time wherever they differ, and whatever their lengths are. */
export function isSameCode(sent = '', code = ''): boolean {
  const [one, other] = [sent, code].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one, other);
}
