/**
 * The routes for programs written for api.tinify.com: compress an image, fetch or change an output, check a
 * key. Their paths, statuses and bodies are Tinify's; guards, limits and recipes are those of POST
 * /api/v1/compress.
 */
import {
  Controller,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
  Body,
  Get,
  HttpCode,
  Ip,
  Param,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ResultFormatName } from '../../contract/formats';
import type { Caller } from '../../contract/caller';
import { UsageService } from '../../accounts/application/usage.service';
import { CurrentCaller, TrialGuard } from '../../accounts/http/account.guards';
import { CompressionSettings } from '../../compression/compression.settings';
import { Admission, AdmissionGuard } from '../../compression/http/admission';
import { takeUpload } from '../../compression/http/image-upload.interceptor';
import { pacedBody, pacedPieces } from '../../compression/http/result-response';
import { UploadCompression } from '../../compression/http/upload-compression';
import { noSuchOutput, outputOfAnotherAccount } from '../../contract/tinify-problems';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor';
import { networkOf } from '../../http/network';
import { sharerOf } from '../../http/requests';
import { AccountRateLimitGuard, AccountRoutesRateLimitGuard } from '../../rate-limit/limits';
import { DOWNLOAD_BYTES, OutputsService, type Output } from '../application/outputs.service';
import { inOwnFormat, policyWith } from './commands';
import {
  BasicKeyGuard,
  KeyCheckGuard,
  PathKeyGuard,
  setCompressionCount,
  TinifyErrorFilter,
} from './tinify.guards';
import { RawUploadInterceptor } from './tinify.requests';

/** `POST /shrink`: compresses the image and stores it with its result, for the client to fetch. */
@Controller('shrink')
@UseFilters(TinifyErrorFilter)
export class ShrinkController {
  constructor(
    private readonly settings: CompressionSettings,
    private readonly compression: UploadCompression,
    private readonly outputs: OutputsService,
    private readonly usage: UsageService,
  ) {}

  @Post()
  @UseGuards(AdmissionGuard, BasicKeyGuard, KeyCheckGuard, AccountRateLimitGuard, TrialGuard)
  @UseInterceptors(RawUploadInterceptor)
  async shrink(
    @CurrentCaller() { accountId }: Caller,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ) {
    const upload = takeUpload(req);
    const policy = inOwnFormat(this.settings.policy);
    const { id, report } = await this.compression.run(upload, policy, req, res, async (result) => {
      const id = await this.outputs.keep(accountId, upload.image, result);
      await setCompressionCount(this.usage, res, 1);
      return { ...result, id };
    });
    const { format, originalSize, compressedSize, dimensions } = report;
    const { knownFormats } = this.settings;
    const typeOf = (name: ResultFormatName) => knownFormats.of(name).mediaType;
    const path = `/output/${id}`;
    const url = `${req.protocol}://${req.host}${path}`;
    // Some plug-ins request it unchanged; Tinify's own clients read a relative one as a path below their endpoint.
    res.setHeader('Location', req.protocol === 'https' ? url : path);
    return {
      input: { size: originalSize, type: typeOf(knownFormats.ofUpload(upload.image) ?? format) },
      output: {
        size: compressedSize,
        type: typeOf(format),
        ...dimensions,
        ratio: Math.round((compressedSize / originalSize) * 1e4) / 1e4,
        url,
      },
    };
  }
}

/** `/output/ID`: the result of an upload, or another one made from the upload by commands. */
@Controller('output')
@UseFilters(TinifyErrorFilter)
export class OutputController {
  constructor(
    private readonly settings: CompressionSettings,
    private readonly outputs: OutputsService,
    private readonly admission: Admission,
    private readonly compression: UploadCompression,
    private readonly usage: UsageService,
    private readonly errors: TinifyErrorFilter,
  ) {}

  /** Without credentials: the id is unguessable. */
  @Get(':id')
  async fetch(
    @Param('id') id: string,
    @Ip() ip: string,
    @Res({ passthrough: true }) res: Response,
  ): Promise<StreamableFile> {
    const network = networkOf(ip);
    const output = await this.outputs.findFor(network, id);
    if (!output) throw noSuchOutput();
    this.admission
      .openFor(res, { network, account: `downloads of ${network}` })
      .resultWillTake(DOWNLOAD_BYTES);
    const pieces = this.outputs.readResult(output, network, () => res.destroyed);
    return this.sendImage(res, output, output.resultBytes, pacedPieces(pieces, res));
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
    const output = await this.outputs.find(id);
    if (!output) throw noSuchOutput();
    if (output.accountId !== accountId) throw outputOfAnotherAccount();
    const policy = policyWith(body, this.settings, output.format);
    const memory = this.admission.openFor(res, sharerOf(req), output.uploadBytes);
    memory.bodyHasGrownTo(output.uploadBytes);
    const image = await this.outputs.readUpload(output);
    const upload = { image, memory };
    const { bytes, report } = await this.compression.run(upload, policy, req, res, async (result) => {
      await setCompressionCount(this.usage, res, 1);
      return result;
    });
    return this.sendImage(
      res,
      { format: report.format, ...report.dimensions },
      bytes.length,
      pacedBody(bytes, res),
    );
  }

  private sendImage(
    res: Response,
    { format, width, height }: Pick<Output, 'format' | 'width' | 'height'>,
    length: number,
    body: ReturnType<typeof pacedBody>,
  ) {
    res.set({ 'Image-Width': String(width), 'Image-Height': String(height) });
    const type = this.settings.knownFormats.of(format).mediaType;
    // The store may fail in the middle of the body: the client must see that it is not complete, and the operator why.
    return new StreamableFile(body, { type, length }).setErrorHandler((error) =>
      this.errors.answer(error, res.req, res),
    );
  }
}

/** `GET /keys/KEY`: whether a key is valid, as Tinify's plug-in for WordPress asks. */
@Controller('keys')
@UseFilters(TinifyErrorFilter)
export class KeysController {
  constructor(private readonly usage: UsageService) {}

  @Get(':key')
  @UseGuards(PathKeyGuard, AccountRoutesRateLimitGuard)
  async check(@Res({ passthrough: true }) res: Response) {
    await setCompressionCount(this.usage, res);
    return {};
  }
}
