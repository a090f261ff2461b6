import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { LOGGER } from '../operations/logging';
import { SETTINGS, type Settings } from '../settings/settings';
import { LimitStorage } from './limit-storage';
import { RedisWindow } from './redis-window';

export const ACCOUNT_LIMIT = 'account';
export const SIGNUP_LIMIT = 'signup';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

@Module({
  providers: [
    {
      provide: LimitStorage,
      inject: [SETTINGS, LOGGER],
      useFactory: async ({ redisUrl }: Settings, logger: Logger) => {
        const storage = new LimitStorage(redisUrl ? new RedisWindow(redisUrl) : undefined, logger);
        await storage.start();
        return storage;
      },
    },
  ],
  exports: [LimitStorage],
})
class LimitStorageModule {}

/**
 * The two limits. `blockDuration: 0` makes the storage count over a sliding window: a caller over the limit gets
 * in again as soon as his oldest request is a window old, and refused requests do not prolong the wait.
 */
@Module({
  imports: [
    LimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [LimitStorageModule],
      inject: [SETTINGS, LimitStorage],
      useFactory: ({ rateLimitPerMinute, signup }: Settings, storage: LimitStorage) => ({
        storage,
        throttlers: [
          { name: ACCOUNT_LIMIT, ttl: MINUTE_MS, limit: rateLimitPerMinute, blockDuration: 0 },
          { name: SIGNUP_LIMIT, ttl: HOUR_MS, limit: signup.perHour, blockDuration: 0 },
        ],
      }),
    }),
  ],
  exports: [ThrottlerModule, LimitStorageModule],
})
export class RateLimitModule {}
