/** Compresses an upload for its account: limits, deadline, log line, and usage. */
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageService } from '../../accounts/application/usage.service';
import { resultTooLarge } from '../../contract/image-problems';
import { requireCaller, sharerOf } from '../../http/requests';
import { traceRequest, traceStages } from '../../observability/telemetry';
import { CompressionRunner, type RunResult } from '../application/running/compression-runner.port';
import { CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { CompressionMetrics } from './compression-metrics';
import type { Upload } from './arriving-body';

/** The largest result, as a multiple of MAX_UPLOAD_MB. */
const MAX_RESULT_GROWTH = 2;

@Injectable()
export class UploadCompression {
  constructor(
    private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
    private readonly metrics: CompressionMetrics,
    private readonly usage: UsageService,
  ) {}

  /**
   * The deadline starts now, after the upload.
   * @param deliver makes what the client gets from the result; the account is charged once nothing can prevent its delivery
   * @throws ImageRefused, CompressionUnavailable, Problem, or what `deliver` throws
   */
  async run<T>(
    { image, memory }: Upload,
    policy: CompressionPolicy,
    req: Request,
    res: Response,
    deliver: (result: RunResult) => T,
  ): Promise<Awaited<T>> {
    const { pool, maxUploadBytes } = this.settings;
    const caller = requireCaller(req);
    const sentAt = performance.now();
    let startedAt: number | undefined;
    const options = {
      ...sharerOf(req),
      deadlineAt: sentAt + pool.deadlineMs,
      signal: abortedWhenClosed(res),
      onStarted: () => {
        req.context.hasUsedWorker = true;
        startedAt ??= performance.now();
      },
      onResultSize: (bytes: number) => {
        refuseLargeResult(bytes, maxUploadBytes);
        memory.resultWillTake(bytes);
      },
    };
    const run = this.runner.run({ kind: 'compress', image, policy }, options);
    const result = await run.catch((error: unknown) => {
      traceFailure(sentAt, startedAt);
      throw error;
    });
    this.metrics.image(result);
    record(result, req);
    const delivered = await deliver(result);
    const { originalSize, bytesSaved, skipReason } = result.report;
    this.usage.record(caller, { bytesIn: originalSize, bytesSaved });
    if (!skipReason) memory.releaseUpload();
    return delivered;
  }
}

/** Writes what the log line and the trace say about a result. */
function record({ report, queueMs }: RunResult, { context }: Request) {
  const { format, originalSize, compressedSize, quality, score, skipReason } = report;
  const timings = { queue: queueMs, ...report.timings };
  traceStages(timings);
  traceRequest({
    'image.format': format,
    'image.size': originalSize,
    'image.compressed_size': compressedSize,
  });
  Object.assign(context.logged, {
    format,
    originalSize,
    compressedSize,
    quality,
    score,
    skipReason,
    timings,
  });
}

function traceFailure(sentAt: number, startedAt: number | undefined) {
  const now = performance.now();
  traceStages({
    queue: (startedAt ?? now) - sentAt,
    ...(startedAt !== undefined && { worker: now - startedAt }),
  });
}

function refuseLargeResult(bytes: number, maxUploadBytes: number) {
  const limit = maxUploadBytes * MAX_RESULT_GROWTH;
  if (bytes > limit) throw resultTooLarge(limit, bytes);
}

function abortedWhenClosed(res: Response) {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  res.once('close', () => controller.abort());
  return controller.signal;
}
