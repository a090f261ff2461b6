import { existsSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts/accounts.settings';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { EXAMPLE_KEY, EXAMPLE_ORIGIN } from '../contract/samples';
import { noSuchPageFile } from '../contract/service-problems';
import { digestOf, IMMUTABLE, readStaticFile, sendStaticFile, type StaticFile } from '../http/static-file';
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

const FOLDER = join(__dirname, 'reference');

/** Swagger UI sets style attributes, hence 'unsafe-inline' for styles. */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ReferencePage {
  readonly document: Buffer;
  /** The scripts and styles, by names that change with their content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/**
 * Returns /docs: the OpenAPI document in Swagger UI, which loads nothing from elsewhere.
 * @param home where the name of the service leads
 * @throws when the scripts have not been built.
 */
function readReferencePage(title: string, home: '/' | '/docs'): ReferencePage {
  const style = asset('swagger-ui.css');
  const scripts = [asset('swagger-ui.js'), asset('reference.js')];
  const mark = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(FOLDER, 'icon.svg'), 'utf8'))}`;
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}: API reference</title>
    <link rel="icon" href="${mark}" />
    <style>
      body { margin: 0; }
      .home { display: inline-flex; align-items: center; gap: 0.625rem; box-sizing: border-box; height: 3rem; padding: 0 1rem;
        color: inherit; font: 600 1rem/1 system-ui, sans-serif; text-decoration: none; }
      .home:hover { text-decoration: underline; }
      .home-bar { position: sticky; top: 0; z-index: 20; height: 3rem; background: #fff; color: #0f1715; border-bottom: 1px solid #dde3e0; }
      .dark-mode body, .dark-mode .home-bar { background: #1c2022; color: #edf2f0; border-color: #2b2b2b; }
      .swagger-ui .info { margin: 1.5rem 0; }
      .swagger-ui .info pre, .swagger-ui .markdown pre { max-width: 100%; overflow-x: auto; }
      .swagger-ui .markdown pre code { white-space: pre; }
      /* There is one server: this one. */
      .swagger-ui .servers-title, .swagger-ui .servers { display: none; }
      /* WCAG AA asks for more contrast than Swagger UI has. */
      html:not(.dark-mode) .swagger-ui .info .title small, html:not(.dark-mode) .swagger-ui .info .title small pre { background: #4a5160; }
      html:not(.dark-mode) .swagger-ui .opblock-summary-method { background: #3b4151 !important; }
      html:not(.dark-mode) .swagger-ui .btn:not(.execute) { color: #3b4151; border-color: #3b4151; }
      html:not(.dark-mode) .swagger-ui .btn.execute { background: #0b5cad; border-color: #0b5cad; }
      html:not(.dark-mode) .swagger-ui :is(.parameter__name.required::after, .parameter__in, .prop-format, .response-col_links, .tab li, small, i) { color: #4a4f5c; }
      html:not(.dark-mode) .swagger-ui .markdown code { color: #5b21b6; }
    </style>
    <link rel="stylesheet" href="/docs/assets/${style[0]}" />
    ${scripts.map(([name]) => `<script src="/docs/assets/${name}" defer></script>`).join('\n    ')}
  </head>
  <body>
    <nav class="home-bar" aria-label="Service"><a class="home" href="${home}"><img src="${mark}" alt="" width="24" height="24" />Image compression</a></nav>
    <div id="reference" data-example-origin="${EXAMPLE_ORIGIN}" data-example-key="${EXAMPLE_KEY}">Loading the API reference …</div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
  </body>
</html>
`;
  return { document: Buffer.from(html), assets: new Map([style, ...scripts]) };
}

/** Returns a file of the build under a name that changes with its content. */
function asset(fileName: string): [string, StaticFile] {
  const path = join(FOLDER, fileName);
  if (!existsSync(path)) throw new Error(`The API reference is not built (${path}): run "npm run build".`);
  const file = readStaticFile(path);
  const { name, ext } = parse(fileName);
  return [`${name}-${digestOf(file.plain.bytes).slice(0, 11)}${ext}`, file];
}
