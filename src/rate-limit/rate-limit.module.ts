import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { LOGGER } from '../observability/logging';
import { Metrics } from '../observability/metrics';
import { LimitStorage } from './limit-storage';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from './rate-limit.settings';
import { SignupLimit } from './signup-limit';

export const ACCOUNT_LIMIT = 'account';
export const ACCOUNT_ROUTES_LIMIT = 'account-routes';

const MINUTE_MS = 60_000;

async function redisWindow(url: string) {
  const { RedisWindow } = await import('./redis-window.js');
  return new RedisWindow(url);
}

@Module({
  providers: [
    {
      provide: LimitStorage,
      inject: [RATE_LIMIT_SETTINGS, LOGGER, Metrics],
      useFactory: async ({ redisUrl }: RateLimitSettings, logger: Logger, metrics: Metrics) => {
        const storage = new LimitStorage(redisUrl ? await redisWindow(redisUrl) : undefined, logger);
        await storage.start();
        metrics.gauge(
          'rate_limit_fallback',
          '1 while Redis is unavailable and this process counts in memory.',
          () => (storage.store === 'memory, while redis is unavailable' ? 1 : 0),
        );
        return storage;
      },
    },
  ],
  exports: [LimitStorage],
})
class LimitStorageModule {}

/** With `blockDuration: 0` the storage counts a sliding window: refused requests do not prolong the wait. */
@Module({
  imports: [
    LimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [LimitStorageModule],
      inject: [RATE_LIMIT_SETTINGS, LimitStorage],
      useFactory: (
        { imagesPerMinute, accountRequestsPerMinute }: RateLimitSettings,
        storage: LimitStorage,
      ) => ({
        storage,
        throttlers: [
          { name: ACCOUNT_LIMIT, ttl: MINUTE_MS, limit: imagesPerMinute, blockDuration: 0 },
          { name: ACCOUNT_ROUTES_LIMIT, ttl: MINUTE_MS, limit: accountRequestsPerMinute, blockDuration: 0 },
        ],
      }),
    }),
  ],
  providers: [SignupLimit],
  exports: [ThrottlerModule, LimitStorageModule, SignupLimit],
})
export class RateLimitModule {}
