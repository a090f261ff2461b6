import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { Problem } from '../operations/problem';
import { ACCOUNT_LIMIT } from './rate-limit.module';
import { rateLimitHeaders } from './rate-limit-headers';

/**
 * Counts requests by account: all keys of an account share one limit, all addresses too. Behind ApiKeyGuard.
 * Tells where the caller stands on every answer, and on a refusal when to come back.
 */
@Injectable()
export class AccountRateLimitGuard extends ThrottlerGuard {
  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.throttlers = this.throttlers.filter(({ name }) => name === ACCOUNT_LIMIT);
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
  }: ThrottlerRequest): Promise<boolean> {
    if (limit === 0) return true;
    const req = context.switchToHttp().getRequest<Request>();
    const res = context.switchToHttp().getResponse<Response>();
    const accountId = req.context.caller?.accountId;
    if (!accountId) throw new Error('AccountRateLimitGuard needs the ApiKeyGuard before it');

    const hits = await this.storageService.increment(
      `account:${accountId}`,
      ttl,
      limit,
      blockDuration,
      ACCOUNT_LIMIT,
    );
    const resetSeconds = Math.max(1, hits.isBlocked ? hits.timeToBlockExpire : hits.timeToExpire);
    const remaining = hits.isBlocked ? 0 : Math.max(0, limit - hits.totalHits);
    res.set(rateLimitHeaders({ limit, remaining, resetSeconds, windowSeconds: ttl / 1000 }));
    if (hits.isBlocked) {
      throw new Problem(
        'rate_limited',
        `This account may compress ${limit} images a minute; wait ${resetSeconds} s.`,
        {
          limit,
          retryAfter: resetSeconds,
        },
      );
    }
    return true;
  }
}
