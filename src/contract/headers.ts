/** Which headers belong together, and how the OpenAPI document lists them. */
import type { HeadersObject } from 'openapi3-ts/oas31';
import { HEADERS, type HeaderName } from './header-table';

/** The state of the rate limit, as draft-ietf-httpapi-ratelimit-headers-10 defines it and as the older X-RateLimit-*. */
export const RATE_LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];

/** Headers on the response for every image. */
export const REPORT_HEADERS = [
  'X-Original-Size',
  'X-Compressed-Size',
  'X-Bytes-Saved',
  'X-SSIM',
  'X-Original-Dimensions',
  'X-Dimensions',
  'Server-Timing',
  'ETag',
] as const satisfies readonly HeaderName[];

/** Headers on the responses for some images. */
export const OPTIONAL_REPORT_HEADERS = [
  'X-Quality',
  'X-Density',
  'X-Max-Error',
  'X-Skipped',
  'X-Skip-Reason',
  'X-Removed',
  'X-Budget',
  'X-JPEG-Estimate',
] as const satisfies readonly HeaderName[];

export type ReportHeader = (typeof REPORT_HEADERS)[number] | (typeof OPTIONAL_REPORT_HEADERS)[number];

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

/** Returns a Markdown list of headers and their meaning. */
export function describedHeaders(names: readonly HeaderName[]): string {
  return names.map((name) => `- \`${name}\`: ${HEADERS[name].description}`).join('\n');
}

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
