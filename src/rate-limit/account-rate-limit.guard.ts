import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { tooManyImages } from '../contract/account-problems';
import { accountOf, LimitGuard } from './limit.guard';
import { ACCOUNT_LIMIT } from './rate-limit.module';
import { rateLimitHeaders, type RateLimitState } from './rate-limit-headers';

/**
 * Limits images per account; all keys of an account share the limit. Sets the rate limit headers on every response. Use it
 * after ApiKeyGuard.
 */
@Injectable()
export class AccountRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_LIMIT;

  protected trackerOf(req: Request): Promise<string> {
    return Promise.resolve(accountOf(req));
  }

  protected override onCounted(res: Response, state: RateLimitState): void {
    res.set(rateLimitHeaders(state));
  }

  protected readonly refusal = tooManyImages;
}
