/** The key of a result: compressions with the same key have the same result. */
import { createHash } from 'node:crypto';
import type { CompressionPolicy } from './compression-policy';

/**
 * Returns a SHA-256 digest in hexadecimal.
 * @param imageDigest the SHA-256 of the upload, in hexadecimal
 * @param engine identifies the code that compresses: engine, version, how it was loaded
 */
export function resultKey(imageDigest: string, policy: CompressionPolicy, engine: readonly string[]): string {
  const sorted = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([imageDigest, sorted, engine]))
    .digest('hex');
}
