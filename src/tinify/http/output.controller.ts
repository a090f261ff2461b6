import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
  StreamableFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../accounts/application/authenticator';
import { CurrentCaller } from '../../accounts/http/api-key.guard';
import { TrialGuard } from '../../accounts/http/trial.guard';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { AdmissionGuard } from '../../compression/http/admission.guard';
import { pacedBody, pacedPieces } from '../../compression/http/paced-body';
import { UploadBudget } from '../../compression/http/upload-budget';
import { UploadCompression } from '../../compression/http/upload-compression';
import { noSuchOutput, outputOfAnotherAccount } from '../../contract/tinify-problems';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor';
import { AccountRateLimitGuard } from '../../rate-limit/account-rate-limit.guard';
import { OutputsService } from '../application/outputs.service';
import type { Output } from '../domain/output';
import { policyWith } from './commands';
import { CompressionCount } from './compression-count';
import { BasicKeyGuard } from './key.guards';
import { TinifyErrorFilter } from './tinify-error.filter';

/** `/output/ID`: the result of an upload, or another one made from the upload by commands. */
@Controller('output')
@UseFilters(TinifyErrorFilter)
export class OutputController {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly outputs: OutputsService,
    private readonly budget: UploadBudget,
    private readonly compression: UploadCompression,
    private readonly count: CompressionCount,
  ) {}

  /** Without credentials: the id is unguessable. */
  @Get(':id')
  async fetch(@Param('id') id: string, @Res({ passthrough: true }) res: Response): Promise<StreamableFile> {
    const output = await this.outputs.find(id);
    if (!output) throw noSuchOutput();
    const length = output.resultBytes || output.uploadBytes;
    return imageOf(res, output, length, pacedPieces(this.outputs.result(output), res));
  }

  /** Compresses the upload again: it counts as an image. */
  @Post(':id')
  @HttpCode(200)
  @UseGuards(AdmissionGuard, BasicKeyGuard, AccountRateLimitGuard, TrialGuard)
  @UseInterceptors(JsonBodyInterceptor)
  async command(
    @Param('id') id: string,
    @Body() body: unknown,
    @CurrentCaller() { accountId }: Caller,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<StreamableFile> {
    const policy = policyWith(body, this.settings.policy);
    const output = await this.outputs.find(id);
    if (!output) throw noSuchOutput();
    if (output.accountId !== accountId) throw outputOfAnotherAccount();
    const memory = this.budget.openFor(res, output.uploadBytes, accountId);
    memory.bodyHasGrownTo(output.uploadBytes);
    const image = await this.uploadOf(output);
    const { bytes, report } = await this.compression.run({ image, memory }, policy, req, res);
    if (!report.skipReason) memory.releaseUpload();
    await this.count.tell(req, res);
    return imageOf(res, { format: report.format, ...report.dimensions }, bytes.length, pacedBody(bytes, res));
  }

  private async uploadOf(output: Output): Promise<Buffer> {
    const image = Buffer.allocUnsafeSlow(output.uploadBytes);
    let at = 0;
    for await (const piece of this.outputs.upload(output)) {
      image.set(piece, at);
      at += piece.length;
    }
    return image;
  }
}

function imageOf(
  res: Response,
  { format, width, height }: Pick<Output, 'format' | 'width' | 'height'>,
  length: number,
  body: ReturnType<typeof pacedBody>,
): StreamableFile {
  res.set({ 'Image-Width': String(width), 'Image-Height': String(height) });
  // The store may fail in the middle of the body: the client must see that the body is not complete.
  return new StreamableFile(body, { type: `image/${format}`, length }).setErrorHandler(() => res.destroy());
}
