import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { SETTINGS, type Settings } from '../settings/settings';

export const ACCOUNT_LIMIT = 'account';
export const SIGNUP_LIMIT = 'signup';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The two limits. `blockDuration: 0` makes the storage count over a sliding window: a caller over the limit gets
 * in again as soon as his oldest request is a window old, and refused requests do not prolong the wait.
 */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: ({ rateLimitPerMinute, signup }: Settings) => [
        { name: ACCOUNT_LIMIT, ttl: MINUTE_MS, limit: rateLimitPerMinute, blockDuration: 0 },
        { name: SIGNUP_LIMIT, ttl: HOUR_MS, limit: signup.perHour, blockDuration: 0 },
      ],
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}
