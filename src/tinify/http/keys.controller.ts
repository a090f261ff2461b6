import { Controller, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageReader } from '../../accounts/application/usage-reader';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limit-guards';
import { PathKeyGuard } from './key.guards';
import { setCompressionCount, TinifyErrorFilter } from './tinify-responses';

/** `GET /keys/KEY`: whether a key is valid, as Tinify's plug-in for WordPress asks. */
@Controller('keys')
@UseFilters(TinifyErrorFilter)
export class KeysController {
  constructor(private readonly usage: UsageReader) {}

  @Get(':key')
  @UseGuards(PathKeyGuard, AccountRoutesRateLimitGuard)
  async check(@Req() req: Request, @Res({ passthrough: true }) res: Response) {
    await setCompressionCount(this.usage, req, res);
    return {};
  }
}
