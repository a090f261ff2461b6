import { Controller, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limit-guards';
import { CompressionCount } from './compression-count';
import { PathKeyGuard } from './key.guards';
import { TinifyErrorFilter } from './tinify-error.filter';

/** `GET /keys/KEY`: whether a key is valid, as Tinify's plug-in for WordPress asks. */
@Controller('keys')
@UseFilters(TinifyErrorFilter)
export class KeysController {
  constructor(private readonly count: CompressionCount) {}

  @Get(':key')
  @UseGuards(PathKeyGuard, AccountRoutesRateLimitGuard)
  async check(@Req() req: Request, @Res({ passthrough: true }) res: Response) {
    await this.count.setHeader(req, res);
    return {};
  }
}
