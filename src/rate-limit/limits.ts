/**
 * The rate limits of images, account routes and sign-ups. Each counts over a sliding window, so a client is
 * accepted again as soon as its oldest request leaves the window; refused requests do not prolong the wait.
 */
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { tooManyAccountRequests, tooManyImages, tooManySignups } from '../contract/account-problems';
import { networkOf } from '../http/network';
import { exchangeOf, requireCaller } from '../http/requests';
import { LimitStorage } from './limit-storage';
import { RateLimitSettings } from './rate-limit.settings';
import { Problem } from '../contract/problem';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Limits images per account, for all its keys in total. Use it after ApiKeyGuard. Sets rate limit headers on every response. */
@Injectable()
export class AccountRateLimitGuard implements CanActivate {
  constructor(
    private readonly settings: RateLimitSettings,
    private readonly storage: LimitStorage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = exchangeOf(context);
    const { accountId, isUnlimited = false } = requireCaller(req);
    const limit = this.settings.imagesPerMinute;
    if (limit === 0 || isUnlimited) return true;
    const key = `account:${accountId}`;
    const { hits, isRefused, resetSeconds } = await this.storage.count(key, MINUTE_MS, limit);
    const remaining = Math.max(0, limit - hits);
    res.set({
      // draft-ietf-httpapi-ratelimit-headers-10
      'RateLimit-Policy': `"default";q=${limit};w=${MINUTE_MS / 1000}`,
      RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetSeconds),
    });
    if (isRefused) throw tooManyImages(limit, resetSeconds);
    return true;
  }
}

/** Limits requests to the routes of accounts and keys, which all query the database. */
@Injectable()
export class AccountRoutesRateLimitGuard implements CanActivate {
  constructor(
    private readonly settings: RateLimitSettings,
    private readonly storage: LimitStorage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { accountId } = requireCaller(exchangeOf(context).req);
    const limit = this.settings.accountRequestsPerMinute;
    if (limit === 0) return true;
    const key = `account-routes:${accountId}`;
    const { isRefused, resetSeconds } = await this.storage.count(key, MINUTE_MS, limit);
    if (isRefused) throw tooManyAccountRequests(limit, resetSeconds);
    return true;
  }
}

/** Limits sign-ups and trials in total per network of clients. */
@Injectable()
export class SignupLimit {
  constructor(
    private readonly storage: LimitStorage,
    private readonly settings: RateLimitSettings,
  ) {}

  /** Counts first, so that concurrent requests cannot exceed the limit. @throws Problem `rate_limited` */
  async within<T>(ip: string, make: () => Promise<T>): Promise<T> {
    const limit = this.settings.signupsPerHour;
    if (limit === 0) return make();
    const key = `signup:${networkOf(ip)}`;
    const { isRefused, resetSeconds } = await this.storage.count(key, HOUR_MS, limit);
    if (isRefused) throw tooManySignups(limit, resetSeconds);
    try {
      return await make();
    } catch (error) {
      const isGuess = error instanceof Problem && error.code === 'account_exists';
      if (!isGuess) await this.storage.giveBack(key);
      throw error;
    }
  }
}
