import { existsSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts/accounts.settings';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { EXAMPLE_KEY, EXAMPLE_ORIGIN } from '../contract/samples';
import { noSuchPageFile } from '../contract/service-problems';
import {
  contentSecurityPolicy,
  digestContent,
  IMMUTABLE,
  readStaticFile,
  sendStaticFile,
  type StaticFile,
} from '../http/static-file';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { WEB_SETTINGS, type WebSettings } from '../web/web.settings';
import { describeService } from './document';

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
    this.page = readReferencePage({
      TITLE: document.info.title,
      HOME: web.isOn ? '/' : '/docs',
      ORIGIN: EXAMPLE_ORIGIN,
      KEY: EXAMPLE_KEY,
    });
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

const FOLDER = join(__dirname, 'reference');

/** Swagger UI sets style attributes, hence 'unsafe-inline' for styles. */
const REFERENCE_POLICY = contentSecurityPolicy(
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
);

interface ReferencePage {
  readonly document: Buffer;
  /** The scripts and styles, by names that change with their content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/**
 * Returns /docs: the OpenAPI document in Swagger UI, which loads nothing from elsewhere.
 * @param facts by their places in index.html
 * @throws when the files have not been built.
 */
function readReferencePage(facts: Readonly<Record<string, string>>): ReferencePage {
  if (!existsSync(FOLDER))
    throw new Error(`The API reference is not built (${FOLDER}): run "npm run build".`);
  const assets = new Map<string, StaticFile>();
  const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(FOLDER, 'icon.svg'), 'utf8'))}`;
  const html = readFileSync(join(FOLDER, 'index.html'), 'utf8')
    .replace(/%([A-Z]+)%/g, (_, name: string) => ({ ...facts, ICON: icon })[name] ?? '')
    .replace(/(?<=\/docs\/assets\/)[\w-]+\.\w+/g, (fileName) => {
      const file = readStaticFile(join(FOLDER, fileName));
      const { name, ext } = parse(fileName);
      const versioned = `${name}-${digestContent(file.plain.bytes).slice(0, 11)}${ext}`;
      assets.set(versioned, file);
      return versioned;
    });
  return { document: Buffer.from(html), assets };
}
