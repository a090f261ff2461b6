import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { tooManyAccountRequests, tooManyImages } from '../contract/account-problems';
import type { Problem } from '../contract/problem';
import { callerOf } from '../http/requests';
import { ACCOUNT_LIMIT, ACCOUNT_ROUTES_LIMIT } from './rate-limit.module';

/** Enforces one limit of RateLimitModule per account, for all its keys in total. Use it after ApiKeyGuard. */
abstract class LimitGuard extends ThrottlerGuard {
  protected abstract readonly limitName: string;
  protected abstract readonly refusal: (limit: number, waitSeconds: number) => Problem;

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.throttlers = this.throttlers.filter(({ name }) => name === this.limitName);
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
  }: ThrottlerRequest): Promise<boolean> {
    const { accountId, isUnlimited = false } = callerOf(context.switchToHttp().getRequest<Request>());
    const isOfImages = this.limitName === ACCOUNT_LIMIT;
    if (limit === 0 || (isUnlimited && isOfImages)) return true;
    const key = `${this.limitName}:${accountId}`;
    const hits = await this.storageService.increment(key, ttl, limit, blockDuration, this.limitName);
    const resetSeconds = Math.max(1, hits.isBlocked ? hits.timeToBlockExpire : hits.timeToExpire);
    const remaining = hits.isBlocked ? 0 : Math.max(0, limit - hits.totalHits);
    if (isOfImages)
      context
        .switchToHttp()
        .getResponse<Response>()
        .set({
          // draft-ietf-httpapi-ratelimit-headers-10
          'RateLimit-Policy': `"default";q=${limit};w=${ttl / 1000}`,
          RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
          'X-RateLimit-Limit': String(limit),
          'X-RateLimit-Remaining': String(remaining),
          'X-RateLimit-Reset': String(resetSeconds),
        });
    if (!hits.isBlocked) return true;
    throw this.refusal(limit, resetSeconds);
  }
}

/** Limits images. Sets rate limit headers on every response. */
@Injectable()
export class AccountRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_LIMIT;
  protected readonly refusal = tooManyImages;
}

/** Limits requests to the routes of accounts and keys, which all query the database. */
@Injectable()
export class AccountRoutesRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_ROUTES_LIMIT;
  protected readonly refusal = tooManyAccountRequests;
}
