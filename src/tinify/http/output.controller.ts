import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Ip,
  Param,
  Post,
  Req,
  Res,
  StreamableFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { Caller } from '../../accounts/application/authenticator';
import { UsageReader } from '../../accounts/application/usage-reader';
import { CurrentCaller } from '../../accounts/http/api-key.guard';
import { QuotaGuard } from '../../accounts/http/quota.guard';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { pacedBody, pacedPieces } from '../../compression/http/paced-body';
import { UploadBudget } from '../../compression/http/upload-budget';
import { sharerOf } from '../../compression/http/image-upload.interceptor';
import { abortedWhenClosed, UploadCompression } from '../../compression/http/upload-compression';
import { factsOf } from '../../contract/formats';
import { noSuchOutput, outputOfAnotherAccount } from '../../contract/tinify-problems';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor';
import { OutputsService } from '../application/outputs.service';
import { DownloadLine } from '../application/waiting-line';
import type { Output } from '../domain/output';
import { policyWith } from './commands';
import { BasicKeyGuard } from './key.guards';
import { NotDrainingGuard, PatientRateLimitGuard, TurnGuard } from './patient.guards';
import { setCompressionCount, TinifyErrorFilter } from './tinify-responses';

/** Memory of a download: the piece that is being sent, and the next one. */
const DOWNLOAD_BYTES = 512 * 1024;

/** `/output/ID`: the result of an upload, or another one made from the upload by commands. */
@Controller('output')
@UseFilters(TinifyErrorFilter)
export class OutputController {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly outputs: OutputsService,
    private readonly line: DownloadLine,
    private readonly budget: UploadBudget,
    private readonly compression: UploadCompression,
    private readonly usage: UsageReader,
  ) {}

  /** Without credentials: the id is unguessable. */
  @Get(':id')
  async fetch(
    @Param('id') id: string,
    @Ip() ip: string,
    @Res({ passthrough: true }) res: Response,
  ): Promise<StreamableFile> {
    const address = normalizeIp(ip);
    await this.line.enter(address, abortedWhenClosed(res));
    const output = await this.outputs.findFor(address, id);
    if (!output) throw noSuchOutput();
    this.budget.openFor(res, 0, `download ${address}`).resultWillTake(DOWNLOAD_BYTES);
    const length = output.resultBytes || output.uploadBytes;
    return imageOf(res, output, length, pacedPieces(this.outputs.result(output), res));
  }

  /** Compresses the upload again: it counts as an image. */
  @Post(':id')
  @HttpCode(200)
  @UseGuards(NotDrainingGuard, BasicKeyGuard, QuotaGuard, TurnGuard, PatientRateLimitGuard)
  @UseInterceptors(JsonBodyInterceptor)
  async command(
    @Param('id') id: string,
    @Body() body: unknown,
    @CurrentCaller() { accountId }: Caller,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<StreamableFile> {
    const output = await this.outputs.find(id);
    if (!output) throw noSuchOutput();
    if (output.accountId !== accountId) throw outputOfAnotherAccount();
    const policy = policyWith(body, this.settings.policy, output.format);
    const memory = this.budget.openFor(res, output.uploadBytes, sharerOf(req));
    memory.bodyHasGrownTo(output.uploadBytes);
    const image = await this.uploadOf(output);
    const result = await this.compression.run({ image, memory }, policy, req, res);
    this.compression.charge(req, result);
    const { bytes, report } = result;
    if (!report.skipReason) memory.releaseUpload();
    await setCompressionCount(this.usage, req, res);
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
  return new StreamableFile(body, { type: factsOf(format).mediaType, length }).setErrorHandler(() =>
    res.destroy(),
  );
}
