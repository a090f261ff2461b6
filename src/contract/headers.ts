/** Every response header of the contract, with its description. Each operation lists the headers that it sends. */
import type { HeaderObject, HeadersObject, SchemaObject } from 'openapi3-ts/oas31';
import { headerRows, OPTIONAL_REPORT, REPORT, type ReportHeader } from './report';

const header = (description: string, schema: SchemaObject, example: unknown): HeaderObject => ({
  description,
  schema,
  example,
});
const text = (description: string, example: string, pattern?: string) =>
  header(description, { type: 'string', ...(pattern !== undefined && { pattern }) }, example);
const count = (description: string, example: number, minimum = 1) =>
  header(description, { type: 'integer', minimum }, example);
const constant = (description: string, value: string) =>
  header(description, { type: 'string', const: value }, value);

const EVERY_RESPONSE = {
  'X-Request-Id': text(
    'Identifies the request in the log. A valid id that you send is echoed.',
    '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11',
    '^[A-Za-z0-9._:-]{1,128}$',
  ),
  'Cache-Control': constant(
    'Responses contain keys, account data and private images, so caches must not store them.',
    'no-store',
  ),
  'X-Content-Type-Options': constant('Browsers must not guess a type other than `Content-Type`.', 'nosniff'),
};

const reported = (table: object) =>
  Object.fromEntries(headerRows(table).map((row) => [row.header, row.documented])) as Record<
    ReportHeader,
    HeaderObject
  >;

const OF_REPORT = {
  ETag: text(
    'The SHA-256 digest of the body in base64url, a strong validator.',
    '"W6ph5Mm5Pz8GgiULbPgzG37mj9g7mTYvHRsQC5IYQJU"',
    '^"[A-Za-z0-9_-]{43}"$',
  ),
  ...reported(REPORT),
};

const OPTIONAL_OF_REPORT = {
  'X-Skipped': constant('Present only if the body is the uploaded file, byte for byte.', '1'),
  ...reported(OPTIONAL_REPORT),
};

/** The state of the rate limit, as draft-ietf-httpapi-ratelimit-headers-10 defines it and as the older X-RateLimit-*. */
const RATE_LIMIT = {
  'RateLimit-Policy': text(
    'The limit of the account: `q` requests per `w` seconds.',
    '"default";q=20;w=60',
    '^"default";q=\\d+;w=\\d+$',
  ),
  RateLimit: text(
    'The state of the limit: `r` requests remain; it resets in `t` seconds.',
    '"default";r=19;t=42',
    '^"default";r=\\d+;t=\\d+$',
  ),
  'X-RateLimit-Limit': count('Requests allowed per minute.', 20),
  'X-RateLimit-Remaining': count('Requests that remain.', 19, 0),
  'X-RateLimit-Reset': count(
    'Seconds until the limit resets; with 429, seconds until the next request is accepted.',
    42,
  ),
};

/** Added to cross-origin responses if CORS_ORIGINS is set. */
const CORS = {
  'Access-Control-Allow-Origin': text(
    'For browsers, if their origin is one of `CORS_ORIGINS`.',
    'https://app.example.com',
  ),
  'Access-Control-Expose-Headers': text(
    'For browsers: the headers that a page may read.',
    'X-Bytes-Saved,X-Quality',
  ),
  Vary: text(
    'The request headers that the response depends on: `Origin` with CORS, `Accept` with `format=auto`.',
    'Origin',
  ),
};

/** All headers by name. */
export const HEADERS = {
  ...EVERY_RESPONSE,
  'Content-Length': count('Size of the body in bytes.', 48213, 0),
  ...OF_REPORT,
  ...OPTIONAL_OF_REPORT,
  ...RATE_LIMIT,
  'Retry-After': count('Seconds to wait before you retry.', 5),
  'WWW-Authenticate': constant('The authentication scheme to use.', 'Bearer'),
  Allow: text('The methods that this URL supports.', 'POST', '^[A-Z]+(, [A-Z]+)*$'),
  Link: text(
    'The documentation (RFC 8631): `service-desc` is the OpenAPI document, `service-doc` the reference page.',
    '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
    '^<[^>]+>; rel="[^"]+"(, <[^>]+>; rel="[^"]+")*$',
  ),
  'Content-Security-Policy': text(
    'What the page may load: scripts, images and data of this service only.',
    "default-src 'none'",
  ),
  ...CORS,
};

export type HeaderName = keyof typeof HEADERS;

const listNames = (group: Partial<typeof HEADERS>) => Object.keys(group) as HeaderName[];
export const REPORT_HEADERS = listNames(OF_REPORT);
export const OPTIONAL_REPORT_HEADERS = listNames(OPTIONAL_OF_REPORT);
export const RATE_LIMIT_HEADERS = listNames(RATE_LIMIT);

/** Headers that a page of an origin in CORS_ORIGINS may read. */
export const EXPOSED_HEADERS: readonly HeaderName[] = [
  ...REPORT_HEADERS,
  ...OPTIONAL_REPORT_HEADERS,
  ...RATE_LIMIT_HEADERS,
  'Retry-After',
  'X-Request-Id',
];

/** Returns the OpenAPI headers of a response: those it always has, those it may have, and those of every response. */
export function headers(always: readonly HeaderName[], sometimes: readonly HeaderName[] = []): HeadersObject {
  const required = new Set([...listNames(EVERY_RESPONSE), ...always]);
  return Object.fromEntries(
    [...required, ...sometimes, ...listNames(CORS)].map((name) => [
      name,
      { ...HEADERS[name], ...(required.has(name) && { required: true }) },
    ]),
  );
}
