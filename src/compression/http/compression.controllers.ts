/** The routes of compressions, sets and comparisons. */
import {
  Controller,
  HttpCode,
  Post,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeyGuard, TrialGuard } from '../../accounts/http/account.guards';
import { AccountRateLimitGuard } from '../../rate-limit/limit-guards';
import { comparisonOf } from '../application/comparing/comparison';
import type { RunResult } from '../application/running/compression-runner.port';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { ComparisonBody } from './compare.openapi';
import { RequestedPolicy, RequestedPolicyGuard, RequestedDensityGuard } from './compress-options';
import {
  ImageUploadInterceptor,
  Uploaded,
  type Upload,
  ComparedUploadInterceptor,
} from './image-upload.interceptor';
import { RequestedSet, RequestedSetGuard, type AskedSet } from './requested-set.guard';
import { CompressionHeadersInterceptor, pacedPieces } from './result-response';
import { ARCHIVE_TYPES, archiveOf } from './set-archive';
import { SetCompression } from './set-compression';
import { AdmissionGuard } from './upload-budget';
import { UploadCompression } from './upload-compression';

/**
 * `POST /api/v1/compress`. The guards admit, authenticate and count the request and read its options; an interceptor reads the
 * body; a worker compresses the image; another interceptor turns the report into headers.
 */
@Controller('api/v1/compress')
export class CompressController {
  constructor(private readonly compression: UploadCompression) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedPolicyGuard, TrialGuard)
  @UseInterceptors(CompressionHeadersInterceptor, ImageUploadInterceptor)
  async compress(
    @Uploaded() upload: Upload,
    @RequestedPolicy() policy: CompressionPolicy,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<RunResult> {
    const result = await this.compression.run(upload, policy, req, res);
    this.compression.charge(req, result);
    if (!result.report.skipReason) upload.memory.releaseUpload();
    return result;
  }
}

/** `POST /api/v1/compare`. As in CompressController, but the form has two files, and the response is JSON. */
@Controller('api/v1/compare')
export class CompareController {
  constructor(private readonly compression: UploadCompression) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedDensityGuard, TrialGuard)
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

/**
 * `POST /api/v1/sets`. As in CompressController, but a worker compresses the image to several files, and each is sent as soon as it is
 * finished.
 */
@Controller('api/v1/sets')
export class SetsController {
  constructor(private readonly sets: SetCompression) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AdmissionGuard, ApiKeyGuard, AccountRateLimitGuard, RequestedSetGuard, TrialGuard)
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
