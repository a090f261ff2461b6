/** The guards of the rate limits of accounts. */
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { tooManyAccountRequests, tooManyImages } from '../contract/account-problems';
import type { Problem } from '../contract/problem';
import { callerOf } from '../http/requests';
import { LimitStorage } from './limit-storage';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from './rate-limit.settings';

const WINDOW_MS = 60_000;

interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the oldest request leaves the window; for a refused request, until the next one is accepted. */
  readonly resetSeconds: number;
}

/**
 * Enforces a limit per account and sliding minute, for all keys of the account in total. Refused requests do not prolong the wait.
 * Use it after ApiKeyGuard.
 */
@Injectable()
abstract class LimitGuard implements CanActivate {
  /** The prefix of the keys in the store. */
  protected abstract readonly limitName: string;

  constructor(
    private readonly storage: LimitStorage,
    @Inject(RATE_LIMIT_SETTINGS) private readonly settings: RateLimitSettings,
  ) {}

  /** Returns the requests per minute; 0 for no limit. */
  protected abstract limitIn(settings: RateLimitSettings): number;
  /** Returns the problem to send when the limit is exceeded. */
  protected abstract readonly refusal: (limit: number, waitSeconds: number) => Problem;
  /** Called for each counted request, accepted or refused. */
  protected onCounted?(res: Response, state: LimitState): void;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.limitIn(this.settings);
    if (limit === 0) return true;
    const key = `${this.limitName}:${callerOf(context.switchToHttp().getRequest<Request>()).accountId}`;
    const { hits, isRefused, oldestLeavesInMs } = await this.storage.count(key, WINDOW_MS, limit);
    const resetSeconds = Math.max(1, Math.ceil(oldestLeavesInMs / 1000));
    this.onCounted?.(context.switchToHttp().getResponse(), {
      limit,
      remaining: Math.max(0, limit - hits),
      resetSeconds,
    });
    if (isRefused) throw this.refusal(limit, resetSeconds);
    return true;
  }
}

/** Limits images. Sets rate limit headers on every response. */
@Injectable()
export class AccountRateLimitGuard extends LimitGuard {
  protected readonly limitName = 'account';
  protected readonly refusal = tooManyImages;

  protected limitIn({ imagesPerMinute }: RateLimitSettings): number {
    return imagesPerMinute;
  }

  protected override onCounted(res: Response, { limit, remaining, resetSeconds }: LimitState): void {
    res.set({
      // draft-ietf-httpapi-ratelimit-headers-10
      'RateLimit-Policy': `"default";q=${limit};w=${WINDOW_MS / 1000}`,
      RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetSeconds),
    });
  }
}

/** Limits requests to the routes of accounts and keys, which all query the database. */
@Injectable()
export class AccountRoutesRateLimitGuard extends LimitGuard {
  protected readonly limitName = 'account-routes';
  protected readonly refusal = tooManyAccountRequests;

  protected limitIn({ accountRequestsPerMinute }: RateLimitSettings): number {
    return accountRequestsPerMinute;
  }
}
