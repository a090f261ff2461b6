import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { noSuchPageFile } from '../contract/service-problems';
import { IMMUTABLE, REVALIDATED, sendStaticFile } from '../http/static-file';
import type { PageFiles } from './page-files';

export const PAGE_FILES = Symbol('PageFiles');

/** The page loads and calls its own origin only, and no other page may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const SECURITY_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

@Controller()
export class PageController {
  constructor(@Inject(PAGE_FILES) private readonly files: PageFiles) {}

  @Get()
  page(@Req() req: Request, @Res() res: Response): void {
    const origin = `${req.protocol}://${req.get('host') ?? ''}`;
    sendStaticFile(req, res.set(SECURITY_HEADERS), this.files.document(origin), REVALIDATED);
  }

  @Get('favicon.ico')
  favicon(@Req() req: Request, @Res() res: Response): void {
    sendStaticFile(req, res.set(SECURITY_HEADERS), this.files.favicon, REVALIDATED);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() req: Request, @Res() res: Response): void {
    const file = this.files.assets.get(name);
    if (!file) throw noSuchPageFile();
    sendStaticFile(req, res.set(SECURITY_HEADERS), file, IMMUTABLE);
  }
}
