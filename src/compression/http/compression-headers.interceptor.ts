import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { concatMap, type Observable } from 'rxjs';
import { pacedBody } from './paced-body';
import type { RunResult } from '../application/running/compression-runner.port';
import { digestOf } from '../application/running/digest';
import type { CompressionReport } from '../domain/compression-report';
import { factsOf } from '../../contract/formats';
import type { ReportHeader } from '../../contract/headers';
import { scoreText } from '../../contract/report-words';
import type { Dimensions } from '../domain/dimensions';

/** The same bytes may be sent many times: each keeps its digest. */
const etags = new WeakMap<Uint8Array, Promise<string>>();

/**
 * Turns the result of a compression into the response: the image into the body, the report into headers. A conditional GET whose
 * client has the image gets 304 without a body.
 */
@Injectable()
export class CompressionHeadersInterceptor implements NestInterceptor<RunResult, StreamableFile | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<RunResult>): Observable<StreamableFile | undefined> {
    const req = context.switchToHttp().getRequest<Request>();
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      concatMap(async ({ bytes, report, queueMs, isRemembered }) => {
        res.set(reportHeaders(report));
        if (isRemembered) res.set('X-Cache', 'hit');
        res.set({
          ETag: await etagOf(bytes),
          'Server-Timing': serverTiming({ queue: queueMs, ...report.timings }),
        });
        // Express sends 304 for it.
        if (req.fresh) return undefined;
        return new StreamableFile(pacedBody(bytes, res), {
          type: factsOf(report.format).mediaType,
          length: bytes.length,
        });
      }),
    );
  }
}

function etagOf(bytes: Uint8Array): Promise<string> {
  const known = etags.get(bytes);
  if (known) return known;
  const etag = digestOf(bytes).then((digest) => `"${digest.toString('base64url')}"`);
  etags.set(bytes, etag);
  return etag;
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
