import { createHash } from 'node:crypto';
import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { pacedBody } from './paced-body';
import type { RunResult } from '../application/running/compression-runner.port';
import type { CompressionReport } from '../domain/compression-report';
import { factsOf } from '../../contract/formats';
import type { ReportHeader } from '../../contract/headers';
import { scoreText } from '../../contract/report-words';
import type { Dimensions } from '../domain/dimensions';

/** Turns the result of a compression into the response: the image into the body, the report into headers. */
@Injectable()
export class CompressionHeadersInterceptor implements NestInterceptor<RunResult, StreamableFile> {
  intercept(context: ExecutionContext, next: CallHandler<RunResult>): Observable<StreamableFile> {
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map(({ bytes, report, queueMs, isRemembered }) => {
        res.set(reportHeaders(report));
        if (isRemembered) res.set('X-Cache', 'hit');
        res.set({
          ETag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
          'Server-Timing': serverTiming({ queue: queueMs, ...report.timings }),
        });
        return new StreamableFile(pacedBody(bytes, res), {
          type: factsOf(report.format).mediaType,
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
