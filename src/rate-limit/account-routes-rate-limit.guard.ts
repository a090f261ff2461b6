import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { tooManyAccountRequests } from '../contract/account-problems';
import { accountOf, LimitGuard } from './limit.guard';
import { ACCOUNT_ROUTES_LIMIT } from './rate-limit.module';

/** Limits requests per account to the routes for accounts and keys, which all query the database. Use it after ApiKeyGuard. */
@Injectable()
export class AccountRoutesRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_ROUTES_LIMIT;

  protected trackerOf(req: Request): Promise<string> {
    return Promise.resolve(accountOf(req));
  }

  protected readonly refusal = tooManyAccountRequests;
}
