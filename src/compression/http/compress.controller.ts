import { Controller, HttpCode, Inject, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageRecorder } from '../../accounts/application/usage-recorder';
import { ApiKeyGuard, CurrentCaller } from '../../accounts/http/api-key.guard';
import type { Caller } from '../../accounts/application/authenticator';
import { Metrics } from '../../operations/observability/metrics';
import { traceStages } from '../../operations/observability/tracing';
import { AccountRateLimitGuard } from '../../rate-limit/account-rate-limit.guard';
import { SETTINGS, type Settings } from '../../settings/settings';
import { CompressionRunner, type RunResult } from '../application/compression-runner.port';
import { AdmissionGuard } from './admission.guard';
import { CompressionHeadersInterceptor } from './compression-headers.interceptor';
import { ImageUploadInterceptor, UploadedImage } from './image-upload.interceptor';

/**
 * The operation. Read from top to bottom it is the way of a request: admitted, known, within the limit; then the
 * body is read; then a worker compresses; then the report becomes headers.
 */
@Controller('api/v1/compress')
export class CompressController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly runner: CompressionRunner,
    private readonly usage: UsageRecorder,
    private readonly metrics: Metrics,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard)
  @UseInterceptors(CompressionHeadersInterceptor, ImageUploadInterceptor)
  async compress(
    @UploadedImage() image: Buffer,
    @CurrentCaller() { accountId }: Caller,
    @Req() { context }: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<RunResult> {
    const { policy, pool } = this.settings;
    const result = await this.runner.run(image, {
      policy,
      // From the arrival of the image: how long its upload takes is the caller's line, not our work.
      deadlineAt: performance.now() + pool.deadlineMs,
      signal: abortedWhenClosed(res),
    });
    this.metrics.image(result);
    traceStages(result);
    const { originalSize, bytesSaved, compressedSize, quality, score, skipReason, timings } = result.report;
    Object.assign(context.logged, { originalSize, compressedSize, quality, score, skipReason });
    Object.assign(context.logged, { timings: { queue: result.queueMs, ...timings } });
    this.usage.record(accountId, { images: 1, bytesIn: originalSize, bytesSaved });
    return result;
  }
}

/** Aborts when the connection goes before the answer has gone out. */
function abortedWhenClosed(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  res.once('close', () => controller.abort());
  return controller.signal;
}
