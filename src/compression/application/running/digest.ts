import { createHash } from 'node:crypto';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { setImmediate } from 'node:timers/promises';

/** Hashing this much takes 1 to 3 ms, before the event loop gets its turn. */
const PIECE_BYTES = 1024 * 1024;

/** Returns the SHA-256 of the concatenated parts without blocking the event loop. */
export async function digestOf(...parts: readonly Uint8Array[]): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      if (at > 0) await setImmediate();
      hash.update(part.subarray(at, at + PIECE_BYTES));
    }
  }
  return hash.digest();
}

/**
 * Returns the key of a result, a SHA-256 digest in hexadecimal: compressions with the same key have the same result.
 * @param imageDigest the SHA-256 of the upload, in hexadecimal
 * @param engine identifies the compressing code: engine, version, how it was loaded
 */
export function resultKey(imageDigest: string, policy: CompressionPolicy, engine: readonly string[]): string {
  const sorted = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([imageDigest, sorted, engine]))
    .digest('hex');
}
