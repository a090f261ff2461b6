/** Wires the counters of the rate limits. Redis is loaded only where it is configured. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../observability/logging';
import { Metrics } from '../observability/metrics';
import { LimitStorage } from './limit-storage';
import { RateLimitSettings } from './rate-limit.settings';
import { SignupLimit } from './limits';

@Module({
  providers: [
    {
      provide: LimitStorage,
      inject: [RateLimitSettings, LOGGER, Metrics],
      useFactory: async ({ redisUrl }: RateLimitSettings, logger: Logger, metrics: Metrics) => {
        const redis = redisUrl ? new (await import('./redis-window.js')).RedisWindow(redisUrl) : undefined;
        const storage = new LimitStorage(redis, logger);
        await storage.start();
        metrics.gauge(
          'rate_limit_fallback',
          '1 while Redis is unavailable and this process counts in memory.',
          () => (storage.store === 'memory, while redis is unavailable' ? 1 : 0),
        );
        return storage;
      },
    },
    SignupLimit,
  ],
  exports: [LimitStorage, SignupLimit],
})
export class RateLimitModule {}
