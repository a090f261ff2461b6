import type { WindowCount } from './redis-window';

/** Sliding windows in the memory of this process, counted as in Redis. */
export class MemoryWindow {
  /** Times of the accepted requests of each key, oldest first; keys in the order of their last request. */
  private readonly windows = new Map<string, { readonly times: number[]; readonly windowMs: number }>();

  /** Counts a request unless the limit is reached. */
  count(key: string, windowMs: number, limit: number): WindowCount {
    const now = Date.now();
    const times = this.windows.get(key)?.times ?? [];
    while (times.length > 0 && times[0] <= now - windowMs) times.shift();
    const isRefused = times.length >= limit;
    if (!isRefused) times.push(now);
    this.windows.delete(key);
    this.windows.set(key, { times, windowMs });
    this.forgetOld(now);
    return { hits: times.length, isRefused, oldestLeavesInMs: times[0] + windowMs - now };
  }

  /** Removes a counted request. */
  giveBack(key: string): void {
    this.windows.get(key)?.times.pop();
  }

  private forgetOld(now: number): void {
    for (const [key, { times, windowMs }] of this.windows) {
      if ((times.at(-1) ?? 0) > now - windowMs) return;
      this.windows.delete(key);
    }
  }
}
