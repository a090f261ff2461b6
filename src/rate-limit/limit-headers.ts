import type { Response } from 'express';

export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the limit resets; for a refused request, seconds until the next one is accepted. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

/** Adds a limit to the headers of draft-ietf-httpapi-ratelimit-headers-10, or replaces its state. */
export function setLimitHeaders(
  res: Response,
  policy: 'default' | 'month',
  { limit, remaining, resetSeconds, windowSeconds }: LimitState,
): void {
  const items = {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
  for (const [name, item] of Object.entries(items)) {
    const others = (res.get(name) ?? '').split(', ').filter((one) => one && !one.startsWith(`"${policy}"`));
    res.setHeader(name, [...others, item].sort().join(', '));
  }
}
