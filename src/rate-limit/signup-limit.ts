import { Inject, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { tooManySignups } from '../contract/account-problems';
import { Problem } from '../contract/problem';
import { LimitStorage } from './limit-storage';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from './rate-limit.settings';

const HOUR_MS = 3_600_000;

/** Limits sign-ups and trials in total per client IP address; IPv6 addresses count by their /64 network. */
@Injectable()
export class SignupLimit {
  constructor(
    private readonly storage: LimitStorage,
    @Inject(RATE_LIMIT_SETTINGS) private readonly settings: RateLimitSettings,
  ) {}

  /** Counts first, so that concurrent requests cannot exceed the limit. @throws Problem `rate_limited` */
  async within<T>(ip: string, make: () => Promise<T>): Promise<T> {
    const limit = this.settings.signupsPerHour;
    if (limit === 0) return make();
    const key = `signup:${normalizeIp(ip)}`;
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
