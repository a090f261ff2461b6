import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountsService } from '../../accounts/application/accounts.service';
import { UsageRecorder } from '../../accounts/application/usage-recorder';

/** The header `Compression-Count`: all images of the account, because usage by month is not recorded. */
@Injectable()
export class CompressionCount {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageRecorder,
  ) {}

  /** Sets the header for the authenticated caller. */
  async tell({ context }: Request, res: Response): Promise<void> {
    await this.usage.flush();
    const account = await this.accounts.find(context.caller?.accountId ?? '');
    if (account) res.setHeader('Compression-Count', String(account.usage.images));
  }
}
