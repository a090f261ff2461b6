import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts/accounts.settings';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { noSuchPageFile } from '../contract/service-problems';
import { IMMUTABLE, sendStaticFile } from '../http/static-file';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { WEB_SETTINGS, type WebSettings } from '../web/web.settings';
import { describeService } from './document';
import { readReferencePage, REFERENCE_POLICY, type ReferencePage } from './reference-page';

/** The contract for programs and for people. Each body is made once, at start, as bytes that all pending responses share. */
@Controller()
export class DocumentationController {
  private readonly document: Buffer;
  private readonly page: ReferencePage;

  constructor(
    @Inject(ACCOUNTS_SETTINGS) accounts: AccountsSettings,
    @Inject(COMPRESSION_SETTINGS) compression: CompressionSettings,
    @Inject(RATE_LIMIT_SETTINGS) rateLimit: RateLimitSettings,
    @Inject(WEB_SETTINGS) web: WebSettings,
  ) {
    const document = describeService({ accounts, compression, rateLimit });
    this.document = Buffer.from(JSON.stringify(document));
    this.page = readReferencePage(document.info.title, web.isOn ? '/' : '/docs');
  }

  @Get('openapi.json')
  description(@Res() res: Response): void {
    res.setHeader('Content-Type', 'application/json; charset=utf-8').send(this.document);
  }

  @Get('docs')
  documentation(@Res() res: Response): void {
    res.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': REFERENCE_POLICY });
    res.send(this.page.document);
  }

  @Get('docs/assets/:name')
  asset(@Param('name') name: string, @Req() req: Request, @Res() res: Response): void {
    const file = this.page.assets.get(name);
    if (!file) throw noSuchPageFile();
    sendStaticFile(req, res, file, IMMUTABLE);
  }
}
