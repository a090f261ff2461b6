export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until the limit is fresh again; on a refusal, until the next request is accepted. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** The state in both dialects: draft-ietf-httpapi-ratelimit-headers-10, and the older X-RateLimit-*. */
export function rateLimitHeaders({ limit, remaining, resetSeconds, windowSeconds }: RateLimitState) {
  return {
    'RateLimit-Policy': `"default";q=${limit};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetSeconds),
  };
}

export const RATE_LIMIT_HEADERS = Object.keys(
  rateLimitHeaders({ limit: 0, remaining: 0, resetSeconds: 0, windowSeconds: 0 }),
);
