import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageService } from '../../accounts/application/usage.service';
import { resultTooLarge } from '../../contract/image-problems';
import { requireCaller } from '../../http/requests';
import { traceRequest, traceStages } from '../../observability/telemetry';
import { CompressionRunner, type RunResult } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { CompressionMetrics } from './compression-metrics';
import type { Upload } from './arriving-body';

/** The largest result, as a multiple of MAX_UPLOAD_MB. */
const MAX_RESULT_GROWTH = 2;

@Injectable()
export class UploadCompression {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
    private readonly metrics: CompressionMetrics,
    private readonly usage: UsageService,
  ) {}

  /** The deadline starts now, after the upload. @throws ImageRefused, CompressionUnavailable, Problem */
  async run(
    { image, memory }: Upload,
    policy: CompressionPolicy,
    req: Request,
    res: Response,
  ): Promise<RunResult> {
    const { context } = req;
    const { pool, maxUploadBytes } = this.settings;
    const sentAt = performance.now();
    let startedAt: number | undefined;
    const run = this.runner.run(image, {
      policy,
      account: requireCaller(req).shareKey,
      deadlineAt: performance.now() + pool.deadlineMs,
      signal: abortedWhenClosed(res),
      onStarted: () => {
        context.hasUsedWorker = true;
        startedAt ??= performance.now();
      },
      onResultSize: (bytes) => {
        refuseLargeResult(bytes, maxUploadBytes);
        memory.resultWillTake(bytes);
      },
    });
    const result = await run.catch((error: unknown) => {
      traceFailure(sentAt, startedAt);
      throw error;
    });
    this.metrics.image(result);
    const { format, originalSize, compressedSize, quality, score, skipReason } = result.report;
    const timings = { queue: result.queueMs, ...result.report.timings };
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
    return result;
  }

  /** Adds the image to the usage of the account, once nothing can prevent its delivery. */
  charge(req: Request, { report }: RunResult): void {
    const { originalSize, bytesSaved } = report;
    this.usage.record(requireCaller(req), { bytesIn: originalSize, bytesSaved });
  }
}

function traceFailure(sentAt: number, startedAt: number | undefined): void {
  const now = performance.now();
  traceStages({
    queue: (startedAt ?? now) - sentAt,
    ...(startedAt === undefined ? {} : { worker: now - startedAt }),
  });
}

function refuseLargeResult(bytes: number, maxUploadBytes: number): void {
  const limit = maxUploadBytes * MAX_RESULT_GROWTH;
  if (bytes > limit) throw resultTooLarge(limit, bytes);
}

function abortedWhenClosed(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  res.once('close', () => controller.abort());
  return controller.signal;
}
