import { Controller, HttpCode, Inject, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageRecorder } from '../../accounts/application/usage-recorder';
import { ApiKeyGuard, CurrentCaller } from '../../accounts/http/api-key.guard';
import { TrialGuard } from '../../accounts/http/trial.guard';
import type { Caller } from '../../accounts/application/authenticator';
import { resultTooLarge } from '../../contract/upload-problems';
import { traceStages } from '../../observability/tracing';
import { AccountRateLimitGuard } from '../../rate-limit/account-rate-limit.guard';
import { CompressionRunner, type RunResult } from '../application/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { AdmissionGuard } from './admission.guard';
import { CompressionMetrics } from './compression-metrics';
import { CompressionHeadersInterceptor } from './compression-headers.interceptor';
import { ImageUploadInterceptor, Uploaded, type Upload } from './image-upload.interceptor';
import { RequestedPolicy, RequestedPolicyGuard } from './requested-policy.guard';

/** The largest result, as a multiple of MAX_UPLOAD_MB. */
const MAX_RESULT_GROWTH = 2;

/**
 * `POST /api/v1/compress`. The guards admit, authenticate and count the request and read its options; an interceptor reads the
 * body; a worker compresses the image; another interceptor turns the report into headers.
 */
@Controller('api/v1/compress')
export class CompressController {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
    private readonly usage: UsageRecorder,
    private readonly metrics: CompressionMetrics,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedPolicyGuard, TrialGuard)
  @UseInterceptors(CompressionHeadersInterceptor, ImageUploadInterceptor)
  async compress(
    @Uploaded() { image, memory }: Upload,
    @RequestedPolicy() policy: CompressionPolicy,
    @CurrentCaller() { accountId }: Caller,
    @Req() { context }: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<RunResult> {
    const { pool, maxUploadBytes } = this.settings;
    const result = await this.runner.run(image, {
      policy,
      account: accountId,
      // Starts when the upload is complete: its duration depends on the client's connection.
      deadlineAt: performance.now() + pool.deadlineMs,
      signal: abortedWhenClosed(res),
      onResultSize: (bytes) => {
        refuseLargeResult(bytes, maxUploadBytes, policy);
        memory.resultWillTake(bytes);
      },
    });
    if (!result.report.skipReason) memory.releaseUpload();
    this.metrics.image(result);
    const { originalSize, bytesSaved, compressedSize, quality, score, skipReason } = result.report;
    const timings = { queue: result.queueMs, ...result.report.timings };
    if (!result.isRemembered) {
      traceStages(timings, {
        'image.format': result.report.format,
        'image.size': originalSize,
        'image.compressed_size': compressedSize,
      });
    }
    Object.assign(context.logged, { originalSize, compressedSize, quality, score, skipReason, timings });
    if (result.isRemembered) context.logged['cache'] = 'hit';
    this.usage.record(accountId, { images: 1, bytesIn: originalSize, bytesSaved });
    return result;
  }
}

function refuseLargeResult(
  bytes: number,
  maxUploadBytes: number,
  { maxDimensionPx }: CompressionPolicy,
): void {
  const limit = maxUploadBytes * MAX_RESULT_GROWTH;
  if (bytes <= limit) return;
  throw resultTooLarge(maxDimensionPx, limit, bytes);
}

/** Returns a signal that aborts when the response closes. */
function abortedWhenClosed(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  res.once('close', () => controller.abort());
  return controller.signal;
}
