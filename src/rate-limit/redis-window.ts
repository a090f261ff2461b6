/**
 * Sliding windows in Redis: a sorted set per key with the times of its accepted requests. One script counts
 * and adds by the clock of Redis, so neither concurrent replicas nor wrong clocks exceed the limit. A set has
 * at most `limit` entries and expires with its window.
 */
import { createClient } from '@redis/client';

/** Longest wait for a reply. Redis on the same network replies within a millisecond. */
const REPLY_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;
const KEY_PREFIX = 'ics:limit:';

/** KEYS[1]: the set; ARGV: window in ms, limit. Returns hits, 1 if refused, ms until the oldest entry leaves the window. */
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local hits = redis.call('ZCARD', KEYS[1])
local refused = hits >= limit
if not refused then
  hits = hits + 1
  redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. hits)
  redis.call('PEXPIRE', KEYS[1], window)
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { hits, refused and 1 or 0, tonumber(oldest[2]) + window - now }
`;

export interface WindowCount {
  /** Accepted requests in the window, including this one. */
  readonly hits: number;
  readonly isRefused: boolean;
  /** Seconds until the oldest request leaves the window, at least 1. */
  readonly resetSeconds: number;
}

export class RedisWindow {
  private readonly client;

  constructor(url: string) {
    this.client = createClient({
      url,
      // Fail at once when disconnected: LimitStorage then counts in memory.
      disableOfflineQueue: true,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        reconnectStrategy: (attempt) => Math.min(100 * 2 ** attempt, MAX_RECONNECT_DELAY_MS),
      },
    });
    // Without a listener the process would exit. Commands in flight reject, and their callers handle the error.
    this.client.on('error', () => undefined);
  }

  stop() {
    if (this.client.isOpen) this.client.destroy();
  }

  /** @throws Error when Redis is unreachable or does not reply in time */
  async count(key: string, windowMs: number, limit: number): Promise<WindowCount> {
    const reply = this.client.eval(COUNT, {
      keys: [KEY_PREFIX + key],
      arguments: [String(windowMs), String(limit)],
    });
    const [hits, refused, resetMs] = (await withTimeout(reply)) as [number, number, number];
    return { hits, isRefused: refused === 1, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
  }

  /** Removes the newest request of the key; they are interchangeable. @throws Error as `count` */
  async giveBack(key: string): Promise<void> {
    await withTimeout(this.client.zPopMax(KEY_PREFIX + key));
  }

  /** Connects if necessary. @throws Error as `count` */
  async ping(): Promise<void> {
    // After the timeout the client keeps trying to connect. A rejected password closes it until the next ping.
    if (!this.client.isOpen) await withTimeout(this.client.connect());
    await withTimeout(this.client.ping());
  }
}

async function withTimeout<T>(reply: Promise<T>) {
  // The reply may still reject after the timeout.
  reply.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no reply within ${REPLY_TIMEOUT_MS} ms`));
    // If this process was blocked, the reply may be waiting in the socket; Node reads sockets before it runs immediates.
    timer = setTimeout(() => setImmediate(giveUp), REPLY_TIMEOUT_MS);
  });
  return Promise.race([reply, timeout]).finally(() => clearTimeout(timer));
}
