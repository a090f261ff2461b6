/** Sends a result in chunks, and closes connections whose client does not read the response. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { CompressionUnavailable } from '../application/running/compression-runner.port';

const PIECE_BYTES = 64 * 1024;
/** Longest time without progress. A slow connection drains the kernel's send buffer in steps of a megabyte or more. */
const STALL_MS = 30_000;
/** Minimum average speed after the first STALL_MS. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
const CHECK_MS = 2_000;

/**
 * Returns a stream of the bytes. It destroys the socket of `res` if the client reads too slowly.
 * @throws CompressionUnavailable `cancelled` when the response has closed: its `close` event will not fire again
 */
export function pacedBody(bytes: Uint8Array, res: ServerResponse): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  return pacedPieces(pieces(), res);
}

/** The same of bytes that come in pieces. */
export function pacedPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  res: ServerResponse,
): Readable {
  if (res.destroyed) throw new CompressionUnavailable('cancelled');
  const start = performance.now();
  let taken = 0;
  let lastTakenAt = start;
  async function* counted() {
    for await (const piece of pieces) {
      lastTakenAt = performance.now();
      yield piece;
      taken += piece.length;
    }
  }
  const check = setInterval(() => {
    const now = performance.now();
    const minTaken = ((now - start - STALL_MS) / 1000) * MIN_BYTES_PER_SECOND;
    if (now - lastTakenAt > STALL_MS || taken < minTaken) res.req.socket.destroy();
  }, CHECK_MS).unref();
  res.once('close', () => clearInterval(check));
  return Readable.from(counted(), { objectMode: false });
}
