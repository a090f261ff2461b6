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
  return pacedPieces(piecesOf(bytes), res);
}

export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The same of bytes that come in pieces. The time until the next piece exists does not count. */
export function pacedPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  res: ServerResponse,
): Readable {
  if (res.destroyed) throw new CompressionUnavailable('cancelled');
  let taken = 0;
  /** Since when the client has been waited for; undefined while it waits for a piece. */
  let offeredAt: number | undefined = performance.now();
  let offeredMs = 0;
  async function* counted() {
    offeredAt = undefined;
    for await (const piece of pieces) {
      offeredAt = performance.now();
      yield piece;
      offeredMs += performance.now() - offeredAt;
      offeredAt = undefined;
      taken += piece.length;
    }
    // The last pieces are still on their way.
    offeredAt = performance.now();
  }
  const check = setInterval(() => {
    const heldMs = offeredAt === undefined ? 0 : performance.now() - offeredAt;
    const minTaken = ((offeredMs + heldMs - STALL_MS) / 1000) * MIN_BYTES_PER_SECOND;
    if (heldMs > STALL_MS || taken < minTaken) res.req.socket.destroy();
  }, CHECK_MS).unref();
  res.once('close', () => clearInterval(check));
  return Readable.from(counted(), { objectMode: false });
}
