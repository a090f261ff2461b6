/** `POST /api/v1/compress`: its guards and interceptors, in the order of their checks. */
import { Controller, HttpCode, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeyGuard, TrialGuard } from '../../accounts/http/account.guards';
import { AccountRateLimitGuard } from '../../rate-limit/limits';
import type { RunResult } from '../application/running/compression-runner.port';
import { AdmissionGuard } from './admission';
import { OptionsReader, RequestedPolicyGuard } from './compress-options';
import { ImageUploadInterceptor, takeUpload } from './image-upload.interceptor';
import { CompressionHeadersInterceptor } from './result-response';
import { UploadCompression } from './upload-compression';

@Controller('api/v1/compress')
export class CompressController {
  constructor(
    private readonly compression: UploadCompression,
    private readonly options: OptionsReader,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedPolicyGuard, TrialGuard)
  @UseInterceptors(CompressionHeadersInterceptor, ImageUploadInterceptor)
  compress(@Req() req: Request, @Res({ passthrough: true }) res: Response): Promise<RunResult> {
    const upload = takeUpload(req);
    const policy = this.options.add(upload.fields ?? {}, req, res);
    return this.compression.run(upload, policy, req, res, (result) => result);
  }
}
