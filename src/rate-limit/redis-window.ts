/**
 * A sliding window in Redis: the times of the last requests of each caller in a sorted set, counted and added to in
 * one step on the server, by the server's clock. What replicas do at the same moment, and clocks that disagree,
 * cannot let one request too many in. A key holds at most as many entries as the limit and goes with its window.
 */
import { createClient } from '@redis/client';

/** A store on the same network answers within a millisecond; callers do not wait longer for one that hangs. */
const ANSWER_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_RECONNECT_DELAY_MS = 2_000;
const KEY_PREFIX = 'ics:limit:';

/** KEYS[1]: the window; ARGV: its length in ms, the limit. Gives: hits, 1 when refused, ms until the oldest leaves. */
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
  /** Requests in the window, this one included when it was accepted. */
  readonly hits: number;
  readonly isRefused: boolean;
  /** Milliseconds until the oldest request is a window old. */
  readonly oldestLeavesInMs: number;
}

export class RedisWindow {
  private readonly client;

  constructor(url: string) {
    this.client = createClient({
      url,
      // A command that cannot be sent now is refused now; the caller has another answer ready.
      disableOfflineQueue: true,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        reconnectStrategy: (attempt) => Math.min(100 * 2 ** attempt, LONGEST_RECONNECT_DELAY_MS),
      },
    });
    // Every command in flight fails with the connection: that is where the fault is seen.
    this.client.on('error', () => undefined);
  }

  stop(): void {
    if (this.client.isOpen) this.client.destroy();
  }

  /** @throws when the server cannot be reached, or does not answer in time */
  async count(key: string, windowMs: number, limit: number): Promise<WindowCount> {
    const reply = this.client.eval(COUNT, {
      keys: [KEY_PREFIX + key],
      arguments: [String(windowMs), String(limit)],
    });
    const [hits, refused, oldestLeavesInMs] = (await inTime(reply)) as [number, number, number];
    return { hits, isRefused: refused === 1, oldestLeavesInMs };
  }

  /** Connects where there is no connection yet. @throws as count does */
  async ping(): Promise<void> {
    // Goes on trying after we have stopped to wait; a refused password ends it, until the next ping.
    if (!this.client.isOpen) await inTime(this.client.connect());
    await inTime(this.client.ping());
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  // Whoever loses the race may still fail later.
  answer.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`));
    // If it was this process that was slow, the answer lies in the socket: what has arrived is read before immediates.
    timer = setTimeout(() => setImmediate(giveUp), ANSWER_TIMEOUT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
