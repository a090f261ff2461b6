/** The guards of the rate limits, and the headers that show their state. */
import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { tooManyAccountRequests, tooManyImages } from '../contract/account-problems';
import type { RATE_LIMIT_HEADERS } from '../contract/headers';
import type { Problem } from '../contract/problem';
import { callerOf } from '../http/request-context';
import { ACCOUNT_LIMIT, ACCOUNT_ROUTES_LIMIT } from './rate-limit.module';

interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the limit resets; for a refused request, seconds until the next one is accepted. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Enforces one limit of RateLimitModule. A subclass names the limit, its tracker and its problem. */
abstract class LimitGuard extends ThrottlerGuard {
  /** The name of the limit; also the prefix of its keys in the store. */
  protected abstract readonly limitName: string;

  /** Returns the key under which the request is counted. */
  protected abstract trackerOf(req: Request): string;

  /** Returns the problem to send when the limit is exceeded. */
  protected abstract readonly refusal: (limit: number, waitSeconds: number) => Problem;

  /** Called for each counted request, accepted or refused. */
  protected onCounted?(res: Response, state: RateLimitState): void;

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
    if (limit === 0) return true;
    const key = `${this.limitName}:${this.trackerOf(context.switchToHttp().getRequest())}`;
    const hits = await this.storageService.increment(key, ttl, limit, blockDuration, this.limitName);
    const resetSeconds = Math.max(1, hits.isBlocked ? hits.timeToBlockExpire : hits.timeToExpire);
    const remaining = hits.isBlocked ? 0 : Math.max(0, limit - hits.totalHits);
    const state = { limit, remaining, resetSeconds, windowSeconds: ttl / 1000 };
    this.onCounted?.(context.switchToHttp().getResponse(), state);
    if (!hits.isBlocked) return true;
    throw this.refusal(limit, resetSeconds);
  }
}

/** Limits images per account, for all its keys in total. Sets rate limit headers on every response. Use it after ApiKeyGuard. */
@Injectable()
export class AccountRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_LIMIT;

  protected trackerOf(req: Request): string {
    return callerOf(req).accountId;
  }

  protected override onCounted(res: Response, state: RateLimitState): void {
    res.set(rateLimitHeaders(state));
  }

  protected readonly refusal = tooManyImages;
}

/** Limits requests per account to the routes of accounts and keys, which all query the database. Use it after ApiKeyGuard. */
@Injectable()
export class AccountRoutesRateLimitGuard extends LimitGuard {
  protected readonly limitName = ACCOUNT_ROUTES_LIMIT;

  protected trackerOf(req: Request): string {
    return callerOf(req).accountId;
  }

  protected readonly refusal = tooManyAccountRequests;
}

/** Returns the state of a limit as response headers. */
function rateLimitHeaders({
  limit,
  remaining,
  resetSeconds,
  windowSeconds,
}: RateLimitState): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  return {
    'RateLimit-Policy': `"default";q=${limit};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetSeconds),
  };
}
