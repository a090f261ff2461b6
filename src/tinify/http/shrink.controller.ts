import { Controller, Inject, Post, Req, Res, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../accounts/application/authenticator';
import { CurrentCaller } from '../../accounts/http/api-key.guard';
import { TrialGuard } from '../../accounts/http/trial.guard';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { AdmissionGuard } from '../../compression/http/admission.guard';
import { Uploaded, type Upload } from '../../compression/http/image-upload.interceptor';
import { UploadCompression } from '../../compression/http/upload-compression';
import { overloaded } from '../../contract/service-problems';
import { AccountRateLimitGuard } from '../../rate-limit/account-rate-limit.guard';
import { OutputsService } from '../application/outputs.service';
import { CompressionCount } from './compression-count';
import { BasicKeyGuard } from './key.guards';
import { KeyCheckGuard } from './key-check.guard';
import { RawUploadInterceptor } from './raw-upload.interceptor';
import { TinifyErrorFilter } from './tinify-error.filter';

/** `POST /shrink`: compresses the image and stores it with its result, for the client to fetch. */
@Controller('shrink')
@UseFilters(TinifyErrorFilter)
export class ShrinkController {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly compression: UploadCompression,
    private readonly outputs: OutputsService,
    private readonly count: CompressionCount,
  ) {}

  @Post()
  @UseGuards(AdmissionGuard, BasicKeyGuard, KeyCheckGuard, AccountRateLimitGuard, TrialGuard)
  @UseInterceptors(RawUploadInterceptor)
  async shrink(
    @Uploaded() upload: Upload,
    @CurrentCaller() { accountId }: Caller,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ) {
    const result = await this.compression.run(upload, this.settings.policy, req, res);
    const id = await this.outputs.keep(accountId, upload.image, result);
    if (id === undefined) throw overloaded();
    const { format, originalSize, compressedSize, dimensions } = result.report;
    const type = `image/${format}`;
    await this.count.tell(req, res);
    // Relative: the clients for .NET accept nothing else, and the others put it behind their own endpoint.
    res.setHeader('Location', `/output/${id}`);
    return {
      input: { size: originalSize, type },
      output: {
        size: compressedSize,
        type,
        ...dimensions,
        ratio: Math.round((compressedSize / originalSize) * 1e4) / 1e4,
        url: `${req.protocol}://${req.host}/output/${id}`,
      },
    };
  }
}
