import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageReader } from '../../accounts/application/usage-reader';
import { callerOf } from '../../http/request-context';

/** The header `Compression-Count`: the images of the account in the current month. */
@Injectable()
export class CompressionCount {
  constructor(private readonly usage: UsageReader) {}

  /** Sets the header for the authenticated caller. */
  async setHeader(req: Request, res: Response): Promise<void> {
    const images = await this.usage.imagesThisMonth(callerOf(req).accountId);
    res.setHeader('Compression-Count', String(images));
  }
}
