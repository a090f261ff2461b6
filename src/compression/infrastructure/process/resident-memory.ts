/**
 * Watches the actual memory of a worker. Decoders are compiled code that reads untrusted files: whatever a header demands and
 * whatever was predicted, a worker that takes too much is stopped.
 */
import { readFileSync } from 'node:fs';

const CHECK_MS = 50;
/**
 * A worker may grow by this many times the estimate for its image, plus this many bytes. Of 115 images of up to 268 megapixels,
 * none took more than 0.7 times its estimate with the native engine and 0.95 times with the portable one.
 */
const MARGIN = 1.25;
const SLACK_BYTES = 128 * 1024 * 1024;

/**
 * A worker that has had nothing to do for this time and holds this much more memory than at its start is replaced by a new one. The C
 * library keeps the gaps of its heap, 100 to 270 MB after large PNGs; ordinary images leave 25 to 55 MB, of code and of V8's heap.
 * Settings of the C library that return memory at once cost each image 3 to 12% of its processor time; a start takes 0.15 s once.
 */
const IDLE_MS = 10_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Looks at the memory of a process at intervals. Does nothing where there is no /proc.
 * @param demandBytes estimate of what it may take in addition to what it takes now
 * @param onExceeded called with the limit and the resident memory in bytes; may be called again
 * @returns a function that ends the watch
 */
export function watchMemory(
  pid: number | undefined,
  demandBytes: number,
  onExceeded: (limit: number, resident: number) => void,
): () => void {
  const atStart = residentBytes(pid);
  if (atStart === undefined) return () => undefined;
  const limit = atStart + demandBytes * MARGIN + SLACK_BYTES;
  const timer = setInterval(() => {
    const resident = residentBytes(pid) ?? 0;
    if (resident > limit) onExceeded(limit, resident);
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Looks at the memory of a process once, when it has had nothing to do for IDLE_MS. Does nothing where there is no /proc.
 * @param onKept called if it holds much more than at its start
 * @returns a function that ends the watch
 */
export function watchIdleMemory(
  pid: number | undefined,
  bytesAtStart = Infinity,
  onKept: () => void,
): () => void {
  const timer = setTimeout(() => {
    if ((residentBytes(pid) ?? 0) > bytesAtStart + MAX_KEPT_BYTES) onKept();
  }, IDLE_MS).unref();
  return () => clearTimeout(timer);
}

/** Returns undefined where there is no /proc, and when the process has ended. */
export function residentBytes(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
