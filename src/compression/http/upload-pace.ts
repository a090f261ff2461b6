/** The minimum speed of uploads. A stalled upload occupies memory that other requests need. */

/** Minimum average speed after SLOW_START_S, for bodies of any length. */
const MIN_BYTES_PER_SECOND = 8 * 1024;
const SLOW_START_S = 10;
/** A body must arrive within this time plus SLOW_START_S; the server ends requests after 120 s. */
const WHOLE_BODY_S = 100;

/**
 * Returns whether an upload is slower than the minimum.
 * @param receivedBytes bytes of the body so far
 * @param seconds since the upload began
 * @param declaredBytes Content-Length of the body; undefined if there is none
 */
export function isTooSlow(
  receivedBytes: number,
  seconds: number,
  declaredBytes: number | undefined,
): boolean {
  const pace = Math.max(MIN_BYTES_PER_SECOND, (declaredBytes ?? 0) / WHOLE_BODY_S);
  return receivedBytes < (seconds - SLOW_START_S) * pace;
}
