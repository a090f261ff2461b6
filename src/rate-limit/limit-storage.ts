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
  /**
   * For each length of a window, the times of the accepted requests of each key, oldest first; keys in the
   * order of their last request, so that only the first ones may be old.
   */
  private readonly windows = new Map<number, Map<string, number[]>>();

  count(key: string, windowMs: number, limit: number): WindowCount {
    // Not the time of day, which may be set back.
    const now = performance.now();
    const keys = this.windows.get(windowMs) ?? new Map<string, number[]>();
    this.windows.set(windowMs, keys);
    const times = keys.get(key) ?? [];
    while (times.length > 0 && times[0] <= now - windowMs) times.shift();
    const isRefused = times.length >= limit;
    if (!isRefused) times.push(now);
    keys.delete(key);
    keys.set(key, times);
    for (const [old, accepted] of keys) {
      if ((accepted.at(-1) ?? 0) > now - windowMs) break;
      keys.delete(old);
    }
    return { hits: times.length, isRefused, resetSeconds: Math.ceil((times[0] + windowMs - now) / 1000) };
  }

  giveBack(key: string) {
    for (const keys of this.windows.values()) keys.get(key)?.pop();
  }
}
