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
import type { RunResult } from '../application/compression-runner.port';
import type { CompressionReport } from '../domain/compression-report';
import type { Dimensions } from '../domain/dimensions';

/** The names of the headers that describe a result; browsers of other origins are allowed to read them. */
export const REPORT_HEADERS = [
  'X-Original-Size',
  'X-Compressed-Size',
  'X-Bytes-Saved',
  'X-Skipped',
  'X-Skip-Reason',
  'X-Quality',
  'X-SSIM',
  'X-Original-Dimensions',
  'X-Dimensions',
  'Server-Timing',
  'ETag',
];

/** Writes the result of a compression: the image as the body, the report as headers. */
@Injectable()
export class CompressionHeadersInterceptor implements NestInterceptor<RunResult, StreamableFile> {
  intercept(context: ExecutionContext, next: CallHandler<RunResult>): Observable<StreamableFile> {
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map(({ bytes, report, queueMs }) => {
        res.set(reportHeaders(report));
        res.set({
          ETag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
          'Server-Timing': serverTiming({ queue: queueMs, ...report.timings }),
        });
        return new StreamableFile(bytes, { type: `image/${report.format}`, length: bytes.length });
      }),
    );
  }
}

function reportHeaders(report: CompressionReport): Record<string, string> {
  return {
    'X-Original-Size': String(report.originalSize),
    'X-Compressed-Size': String(report.compressedSize),
    'X-Bytes-Saved': String(report.bytesSaved),
    'X-SSIM': report.score.toFixed(4),
    'X-Original-Dimensions': asText(report.originalDimensions),
    'X-Dimensions': asText(report.dimensions),
    ...(report.skipReason ? { 'X-Skipped': '1', 'X-Skip-Reason': report.skipReason } : {}),
    ...(report.quality !== undefined ? { 'X-Quality': String(report.quality) } : {}),
  };
}

function asText({ width, height }: Dimensions): string {
  return `${width}x${height}`;
}

/** W3C Server-Timing: durations in milliseconds. */
function serverTiming(stages: Readonly<Record<string, number>>): string {
  return Object.entries(stages)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
}
