import type { RATE_LIMIT_HEADERS } from '../contract/headers';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the limit resets; if the request is refused, seconds until the next one is accepted. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Returns the state of a limit as response headers. */
export function rateLimitHeaders({
  limit,
  remaining,
  resetSeconds,
  windowSeconds,
}: RateLimitState): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  return {
    'RateLimit-Policy': `"default";q=${limit};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetSeconds),
  };
}
