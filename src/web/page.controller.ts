import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Problem } from '../operations/problem';
import type { PageFile, PageFiles } from './page-files';

/** Injection token: the built page. */
export const PAGE_FILES = Symbol('PageFiles');

/** The page runs only what came from here, talks to nobody else, and is shown in no other page's frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const SECURITY_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** The page for people at `/`, and what it loads. */
@Controller()
export class PageController {
  constructor(@Inject(PAGE_FILES) private readonly files: PageFiles) {}

  /** May be kept, but is asked for each time: its settings change with the deployment. */
  @Get()
  page(@Res() res: Response): void {
    send(res, this.files.document, 'no-cache');
  }

  /** The name holds a digest of the content: what it names never changes. */
  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() res: Response): void {
    const file = this.files.assets.get(name);
    if (!file) throw new Problem('not_found', 'The page has no such file; reload it.');
    send(res, file, 'public, max-age=31536000, immutable');
  }
}

/** Express answers HEAD and, by the ETag, conditional requests. */
function send(res: Response, { bytes, type, etag }: PageFile, caching: string): void {
  res.set({ ...SECURITY_HEADERS, 'Cache-Control': caching, 'Content-Type': type, ETag: etag });
  res.send(bytes);
}
