/** Sends a result: the X-* headers from its report, and the bytes. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { exchangeOf } from '../../http/requests';
import { reportHeaders } from '../../contract/report';
import { type RunResult, CompressionUnavailable } from '../application/running/compression-runner.port';
import { CompressionSettings } from '../compression.settings';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Hashing this much takes 1 to 3 ms, before the event loop gets its turn. */
const HASHED_BYTES = 1024 * 1024;

async function digestInPieces(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
  }
  return hash.digest();
}

/** All but those of the body. */
export function resultHeaders({ report, queueMs }: RunResult): Record<string, string> {
  const timings = { queue: queueMs, ...report.timings };
  return { ...reportHeaders({ ...report, timings }), ...(report.skipReason && { 'X-Skipped': '1' }) };
}

@Injectable()
export class CompressionHeadersInterceptor implements NestInterceptor<RunResult, StreamableFile> {
  constructor(private readonly settings: CompressionSettings) {}

  intercept(context: ExecutionContext, next: CallHandler<RunResult>): Observable<StreamableFile> {
    const { res } = exchangeOf(context);
    return next.handle().pipe(
      concatMap(async (result) => {
        const { bytes, report } = result;
        res.set(resultHeaders(result));
        res.set('ETag', `"${(await digestInPieces(bytes)).toString('base64url')}"`);
        return new StreamableFile(pacedBody(bytes, res), {
          type: this.settings.knownFormats.of(report.format).mediaType,
          length: bytes.length,
        });
      }),
    );
  }
}

const PIECE_BYTES = 64 * 1024;
/** Longest time without progress. A slow connection drains the kernel's send buffer in steps of a megabyte or more. */
const STALL_MS = 30_000;
const MIN_BYTES_PER_SECOND = 16 * 1024;
const CHECK_MS = 2_000;

/** Destroys the socket of `res` if the client reads too slowly. @throws CompressionUnavailable `cancelled` */
export function pacedBody(bytes: Uint8Array, res: ServerResponse): Readable {
  return pacedPieces(splitPieces(bytes), res);
}

function* splitPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The time until the next piece exists does not count. */
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
