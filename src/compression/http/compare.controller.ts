import { Controller, HttpCode, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeyGuard } from '../../accounts/http/api-key.guard';
import { QuotaGuard } from '../../accounts/http/quota.guard';
import { AccountRateLimitGuard } from '../../rate-limit/limit-guards';
import { comparisonOf } from '../application/comparing/comparison';
import type { CompressionPolicy } from '../domain/compression-policy';
import { AdmissionGuard } from './admission.guard';
import type { ComparisonBody } from './compare.openapi';
import { ComparedUploadInterceptor, Uploaded, type Upload } from './image-upload.interceptor';
import { RequestedDensityGuard, RequestedPolicy } from './compress-options';
import { UploadCompression } from './upload-compression';

/** `POST /api/v1/compare`. As in CompressController, but the form has two files, and the response is JSON. */
@Controller('api/v1/compare')
export class CompareController {
  constructor(private readonly compression: UploadCompression) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedDensityGuard, QuotaGuard)
  @UseInterceptors(ComparedUploadInterceptor)
  async compare(
    @Uploaded() upload: Upload,
    @RequestedPolicy() policy: CompressionPolicy,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<ComparisonBody> {
    const result = await this.compression.run(upload, policy, req, res);
    this.compression.charge(req, result);
    const { ssim, ssimulacra2, maxError, worst, density, width, height, ...original } = comparisonOf(
      result.report,
    );
    return {
      ssim,
      ssimulacra2: ssimulacra2 ?? null,
      max_error: maxError,
      worst: worst ?? null,
      density: density ?? 1,
      dimensions: { width, height },
      original_dimensions: { width: original.originalWidth, height: original.originalHeight },
    };
  }
}
