/**
 * Where requests are counted: in Redis when there are replicas, else in the memory of this process. An outage of
 * Redis is no outage of the service: until it is back, every replica counts for itself.
 */
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerStorageService, type ThrottlerStorage } from '@nestjs/throttler';
import type { Logger } from 'pino';
import type { RedisWindow } from './redis-window';

/** How often a store that is away is asked whether it is back. */
const RETRY_MS = 1_000;

export type LimitStore = 'memory' | 'redis' | 'memory, while redis is away';

@Injectable()
export class LimitStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly memory = new ThrottlerStorageService();
  private retry: NodeJS.Timeout | undefined;

  /** @param redis shared by the replicas; none: this process is the only one */
  constructor(
    private readonly redis: RedisWindow | undefined,
    private readonly logger: Logger,
  ) {}

  get store(): LimitStore {
    if (!this.redis) return 'memory';
    return this.isAway ? 'memory, while redis is away' : 'redis';
  }

  /** Comes up with Redis or without it. */
  async start(): Promise<void> {
    await this.redis?.ping().catch((error: unknown) => this.fallBack(error));
  }

  async increment(...request: Parameters<ThrottlerStorage['increment']>) {
    if (!this.redis || this.isAway) return this.memory.increment(...request);
    const [key, ttl, limit] = request;
    try {
      const { hits, isRefused, oldestLeavesInMs } = await this.redis.count(key, ttl, limit);
      const seconds = Math.ceil(oldestLeavesInMs / 1000);
      return {
        totalHits: hits,
        timeToExpire: seconds,
        isBlocked: isRefused,
        timeToBlockExpire: isRefused ? seconds : 0,
      };
    } catch (error) {
      this.fallBack(error);
      return this.memory.increment(...request);
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.retry);
    this.redis?.stop();
    this.memory.onApplicationShutdown();
  }

  private get isAway(): boolean {
    return this.retry !== undefined;
  }

  private fallBack(error: unknown): void {
    if (this.isAway) return;
    this.logger.error({ cause: String(error) }, 'rate limits: Redis is away, this process counts for itself');
    this.retry = setInterval(() => {
      void this.redis?.ping().then(
        () => this.comeBack(),
        () => undefined,
      );
    }, RETRY_MS).unref();
  }

  private comeBack(): void {
    if (!this.isAway) return;
    clearInterval(this.retry);
    this.retry = undefined;
    this.logger.warn('rate limits: Redis is back, replicas count together again');
  }
}
