/**
 * Serves the page for people. Its headers let it load and call its own origin only, and let no other page
 * frame it.
 */
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  contentSecurityPolicy,
  findAsset,
  IMMUTABLE,
  REVALIDATED,
  sendStaticFile,
} from '../http/static-file';
import { PageFiles } from './page-files';

const SECURITY_HEADERS = {
  'Content-Security-Policy': contentSecurityPolicy(
    "style-src 'self'",
    "img-src 'self' blob:",
    "worker-src 'self'",
    "require-trusted-types-for 'script'",
  ),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

@Controller()
export class PageController {
  constructor(private readonly files: PageFiles) {}

  @Get()
  page(@Res() res: Response): void {
    const { req } = res;
    const origin = `${req.protocol}://${req.get('host') ?? ''}`;
    sendStaticFile(res.set(SECURITY_HEADERS), this.files.document(origin), REVALIDATED);
  }

  @Get('favicon.ico')
  favicon(@Res() res: Response): void {
    sendStaticFile(res.set(SECURITY_HEADERS), this.files.favicon, REVALIDATED);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() res: Response): void {
    const file = findAsset(this.files.assets, name);
    sendStaticFile(res.set(SECURITY_HEADERS), file, IMMUTABLE);
  }
}
