import {
  Controller,
  HttpCode,
  Post,
  Req,
  Res,
  StreamableFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeyGuard } from '../../accounts/http/api-key.guard';
import { AccountRateLimitGuard } from '../../rate-limit/limit-guards';
import { AdmissionGuard } from './admission.guard';
import { ImageUploadInterceptor, Uploaded, type Upload } from './image-upload.interceptor';
import { pacedPieces } from './paced-body';
import { RequestedSet, RequestedSetGuard, SetQuotaGuard, type AskedSet } from './requested-set.guard';
import { ARCHIVE_TYPES, archiveOf } from './set-archive';
import { SetCompression } from './set-compression';

/**
 * `POST /api/v1/sets`. As in CompressController, but a worker compresses the image to several files, and each is sent as soon as it is
 * finished.
 */
@Controller('api/v1/sets')
export class SetsController {
  constructor(private readonly sets: SetCompression) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedSetGuard, SetQuotaGuard)
  @UseInterceptors(ImageUploadInterceptor)
  async make(
    @Uploaded() upload: Upload,
    @RequestedSet() asked: AskedSet,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<StreamableFile> {
    const entries = await this.sets.run(upload, asked, req, res);
    const wanted = req.accepts([...ARCHIVE_TYPES]);
    const type = ARCHIVE_TYPES.find((one) => one === wanted) ?? 'application/zip';
    const { mediaType, pieces } = await archiveOf(type, entries);
    res.vary('Accept');
    // The status has been sent when a later file fails because of a bug; a cut connection tells the client.
    return new StreamableFile(pacedPieces(pieces, res), { type: mediaType }).setErrorHandler(() =>
      res.destroy(),
    );
  }
}
