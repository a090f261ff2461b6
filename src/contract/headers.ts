import type { HeadersObject } from 'openapi3-ts/oas31';
import { HEADERS, type HeaderName } from './header-table';
import { headerRows, OPTIONAL_REPORT, REPORT } from './report';

/** The state of the rate limit, as draft-ietf-httpapi-ratelimit-headers-10 defines it and as the older X-RateLimit-*. */
export const RATE_LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];

export const REPORT_HEADERS: readonly HeaderName[] = [
  ...headerRows(REPORT).map(({ header }) => header),
  'ETag',
];

export const OPTIONAL_REPORT_HEADERS: readonly HeaderName[] = [
  ...headerRows(OPTIONAL_REPORT).map(({ header }) => header),
  'X-Skipped',
];

/** Headers that a page of an origin in CORS_ORIGINS may read. */
export const EXPOSED_HEADERS: readonly HeaderName[] = [
  ...REPORT_HEADERS,
  ...OPTIONAL_REPORT_HEADERS,
  ...RATE_LIMIT_HEADERS,
  'Retry-After',
  'X-Request-Id',
];

const EVERY_RESPONSE: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'X-Content-Type-Options'];

/** Headers added to cross-origin responses if CORS_ORIGINS is set. */
const CORS: readonly HeaderName[] = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary'];

/** Returns the OpenAPI headers of a response: those it always has, those it may have, and those of every response. */
export function headers(always: readonly HeaderName[], sometimes: readonly HeaderName[] = []): HeadersObject {
  const required = new Set<HeaderName>([...EVERY_RESPONSE, ...always]);
  return Object.fromEntries(
    [...required, ...sometimes, ...CORS].map((name) => [
      name,
      { ...HEADERS[name], ...(required.has(name) ? { required: true } : {}) },
    ]),
  );
}
