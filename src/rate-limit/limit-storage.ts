/** Counts for the rate limits: in Redis if it is configured and available, otherwise in the memory of this process. */
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { RedisWindow, WindowCount } from './redis-window';

const RETRY_MS = 1_000;

@Injectable()
export class LimitStorage implements OnApplicationShutdown {
  private readonly memory = new MemoryWindow();
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: RedisWindow | undefined,
    private readonly logger: Logger,
  ) {}

  get store(): 'memory' | 'redis' | 'memory, while redis is unavailable' {
    if (!this.redis) return 'memory';
    return this.isRedisDown ? 'memory, while redis is unavailable' : 'redis';
  }

  /** Connects to Redis; falls back to memory if that fails. Never rejects. */
  async start(): Promise<void> {
    await this.redis?.ping().catch((error: unknown) => this.fallBack(error));
  }

  /** Counts a request unless the limit is reached. Never rejects because of Redis. */
  async count(key: string, windowMs: number, limit: number): Promise<WindowCount> {
    if (this.redis && !this.isRedisDown) {
      try {
        return await this.redis.count(key, windowMs, limit);
      } catch (error) {
        this.fallBack(error);
      }
    }
    return this.memory.count(key, windowMs, limit);
  }

  /** Takes back the newest request of a key, for work that failed through no fault of the client. */
  async giveBack(key: string): Promise<void> {
    if (!this.redis || this.isRedisDown) this.memory.giveBack(key);
    else await this.redis.giveBack(key).catch((error: unknown) => this.fallBack(error));
  }

  onApplicationShutdown() {
    clearInterval(this.retry);
    this.redis?.stop();
  }

  private get isRedisDown(): boolean {
    return this.retry !== undefined;
  }

  private fallBack(error: unknown) {
    if (this.isRedisDown) return;
    this.logger.error({ cause: String(error) }, 'rate limits: Redis is unavailable, counting in memory');
    this.retry = setInterval(() => {
      this.redis?.ping().then(
        () => this.useRedisAgain(),
        () => undefined,
      );
    }, RETRY_MS).unref();
  }

  private useRedisAgain() {
    if (!this.isRedisDown) return;
    clearInterval(this.retry);
    this.retry = undefined;
    this.logger.warn('rate limits: Redis is available again, counting in Redis');
  }
}

/** The same windows in the memory of this process. */
export class MemoryWindow {
  /** Times of the accepted requests of each key, oldest first; keys in the order of their last request. */
  private readonly windows = new Map<string, { readonly times: number[]; readonly windowMs: number }>();

  count(key: string, windowMs: number, limit: number): WindowCount {
    const now = Date.now();
    const times = this.windows.get(key)?.times ?? [];
    while (times.length > 0 && times[0] <= now - windowMs) times.shift();
    const isRefused = times.length >= limit;
    if (!isRefused) times.push(now);
    this.windows.delete(key);
    this.windows.set(key, { times, windowMs });
    this.forgetOld(now);
    return { hits: times.length, isRefused, resetSeconds: Math.ceil((times[0] + windowMs - now) / 1000) };
  }

  giveBack(key: string) {
    this.windows.get(key)?.times.pop();
  }

  private forgetOld(now: number) {
    for (const [key, { times, windowMs }] of this.windows) {
      if ((times.at(-1) ?? 0) > now - windowMs) return;
      this.windows.delete(key);
    }
  }
}
