import { Controller, Inject, Post, Req, Res, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../accounts/application/authenticator';
import { UsageReader } from '../../accounts/application/usage-reader';
import { CurrentCaller, QuotaGuard } from '../../accounts/http/account.guards';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { Uploaded, type Upload } from '../../compression/http/image-upload.interceptor';
import { UploadCompression } from '../../compression/http/upload-compression';
import { factsOf } from '../../contract/formats';
import { overloaded } from '../../contract/service-problems';
import { OutputsService } from '../application/outputs.service';
import { inOwnFormat } from './commands';
import { RawUploadInterceptor } from './raw-upload.interceptor';
import { setCompressionCount, TinifyErrorFilter } from './tinify-responses';
import {
  BasicKeyGuard,
  KeyCheckGuard,
  NotDrainingGuard,
  PatientRateLimitGuard,
  TurnGuard,
} from './tinify.guards';

/** `POST /shrink`: compresses the image and stores it with its result, for the client to fetch. */
@Controller('shrink')
@UseFilters(TinifyErrorFilter)
export class ShrinkController {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly compression: UploadCompression,
    private readonly outputs: OutputsService,
    private readonly usage: UsageReader,
  ) {}

  @Post()
  @UseGuards(NotDrainingGuard, BasicKeyGuard, KeyCheckGuard, QuotaGuard, TurnGuard, PatientRateLimitGuard)
  @UseInterceptors(RawUploadInterceptor)
  async shrink(
    @Uploaded() upload: Upload,
    @CurrentCaller() { accountId }: Caller,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ) {
    const result = await this.compression.run(upload, inOwnFormat(this.settings.policy), req, res);
    const id = await this.outputs.keep(accountId, upload.image, result);
    if (id === undefined) throw overloaded();
    this.compression.charge(req, result);
    const { format, originalSize, compressedSize, dimensions } = result.report;
    const type = factsOf(format).mediaType;
    await setCompressionCount(this.usage, req, res);
    const path = `/output/${id}`;
    const url = `${req.protocol}://${req.host}${path}`;
    // Some plug-ins request it unchanged; Tinify's own clients read a relative one as a path below their endpoint.
    res.setHeader('Location', req.protocol === 'https' ? url : path);
    return {
      input: { size: originalSize, type },
      output: {
        size: compressedSize,
        type,
        ...dimensions,
        ratio: Math.round((compressedSize / originalSize) * 1e4) / 1e4,
        url,
      },
    };
  }
}
