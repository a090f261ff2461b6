/** Sends results: reports as headers, images in chunks. Closes connections whose client does not read the response. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  Inject,
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { concatMap, type Observable } from 'rxjs';
import type { ReportHeader } from '../../contract/headers';
import { scoreText } from '../../contract/report-words';
import { type RunResult, CompressionUnavailable } from '../application/running/compression-runner.port';
import { digestOf } from '../application/running/digest';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionReport } from '../domain/compression-report';
import type { Dimensions } from '../domain/dimensions';

/**
 * Turns the result of a compression into the response: the image into the body, the report into headers. A conditional GET whose
 * client has the image gets 304 without a body.
 */
@Injectable()
export class CompressionHeadersInterceptor implements NestInterceptor<RunResult, StreamableFile | undefined> {
  constructor(@Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings) {}

  intercept(context: ExecutionContext, next: CallHandler<RunResult>): Observable<StreamableFile | undefined> {
    const req = context.switchToHttp().getRequest<Request>();
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      concatMap(async ({ bytes, report, queueMs }) => {
        res.set(reportHeaders(report));
        res.set({
          ETag: `"${(await digestOf(bytes)).toString('base64url')}"`,
          'Server-Timing': serverTiming({ queue: queueMs, ...report.timings }),
        });
        // Express sends 304 for it.
        if (req.fresh) return undefined;
        return new StreamableFile(pacedBody(bytes, res), {
          type: this.settings.resultFormats.of(report.format).mediaType,
          length: bytes.length,
        });
      }),
    );
  }
}

function reportHeaders(report: CompressionReport): Partial<Record<ReportHeader, string>> {
  return {
    'X-Original-Size': String(report.originalSize),
    'X-Compressed-Size': String(report.compressedSize),
    'X-Bytes-Saved': String(report.bytesSaved),
    'X-SSIM': scoreText(report.score),
    'X-Original-Dimensions': asText(report.originalDimensions),
    'X-Dimensions': asText(report.dimensions),
    ...(report.skipReason ? { 'X-Skipped': '1', 'X-Skip-Reason': report.skipReason } : {}),
    ...(report.removed?.length ? { 'X-Removed': report.removed.join(', ') } : {}),
    ...(report.density ? { 'X-Density': String(report.density) } : {}),
    ...(report.budget ? { 'X-Budget': report.budget } : {}),
    ...(report.jpegEstimate !== undefined ? { 'X-JPEG-Estimate': String(report.jpegEstimate) } : {}),
    ...(report.maxError !== undefined ? { 'X-Max-Error': String(report.maxError) } : {}),
    ...(report.quality !== undefined ? { 'X-Quality': String(report.quality) } : {}),
  };
}

function asText({ width, height }: Dimensions): string {
  return `${width}x${height}`;
}

/** Returns the value of the Server-Timing header (W3C), with durations in milliseconds. */
function serverTiming(stages: Readonly<Record<string, number>>): string {
  return Object.entries(stages)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
}

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

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
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
