/**
 * Serves the OpenAPI document and the reference page. Both need no key, and contain nothing that a client
 * could not find out.
 */
import { join } from 'node:path';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AccountsSettings } from '../accounts/accounts.settings';
import { CompressionSettings } from '../compression/compression.settings';
import { EXAMPLE_KEY, EXAMPLE_ORIGIN } from '../contract/samples';
import {
  contentSecurityPolicy,
  findAsset,
  IMMUTABLE,
  readBuiltPage,
  sendStaticFile,
} from '../http/static-file';
import { RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { WebSettings } from '../web/web.settings';
import { describeService } from './document';

/** Swagger UI sets style attributes, hence 'unsafe-inline' for styles. */
const REFERENCE_POLICY = contentSecurityPolicy(
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
);

/** The contract for programs and for people. Each body is made once, at start, as bytes that all pending responses share. */
@Controller()
export class DocumentationController {
  private readonly document: Buffer;
  /** The document in Swagger UI, which loads nothing from elsewhere. */
  private readonly page: Buffer;
  private readonly files = readBuiltPage(join(__dirname, 'reference'));

  constructor(
    accounts: AccountsSettings,
    compression: CompressionSettings,
    rateLimit: RateLimitSettings,
    { isOn }: WebSettings,
  ) {
    const document = describeService({ accounts, compression, rateLimit });
    this.document = Buffer.from(JSON.stringify(document));
    const facts: Readonly<Record<string, string>> = {
      TITLE: document.info.title,
      HOME: isOn ? '/' : '/docs',
      ORIGIN: EXAMPLE_ORIGIN,
      KEY: EXAMPLE_KEY,
    };
    this.page = Buffer.from(this.files.html.replace(/%([A-Z]+)%/g, (_, name: string) => facts[name] ?? ''));
  }

  @Get('openapi.json')
  description(@Res() res: Response) {
    res.setHeader('Content-Type', 'application/json; charset=utf-8').send(this.document);
  }

  @Get('docs')
  documentation(@Res() res: Response) {
    res.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': REFERENCE_POLICY });
    res.send(this.page);
  }

  @Get('docs/assets/:name')
  asset(@Param('name') name: string, @Res() res: Response) {
    sendStaticFile(res, findAsset(this.files.assets, name), IMMUTABLE);
  }
}
