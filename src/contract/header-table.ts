/** Every response header of the contract, with its description. Each operation lists the headers that it sends. */
import type { HeaderObject, SchemaObject } from 'openapi3-ts/oas31';
import { headerRows, OPTIONAL_REPORT, REPORT, type ReportHeader } from './report';

const count = (minimum: number): SchemaObject => ({ type: 'integer', minimum });
const text = (pattern: string): SchemaObject => ({ type: 'string', pattern });
const header = (description: string, schema: SchemaObject, example: unknown): HeaderObject => ({
  description,
  schema,
  example,
});

const REPORTED = Object.fromEntries(
  headerRows({ ...REPORT, ...OPTIONAL_REPORT }).map((row) => [row.header, row.documented]),
) as Record<ReportHeader, HeaderObject>;

export const HEADERS = {
  'X-Request-Id': header(
    'Identifies the request in the log. A valid id that you send is echoed.',
    text('^[A-Za-z0-9._:-]{1,128}$'),
    '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11',
  ),
  'Cache-Control': header(
    'Responses contain keys, account data and private images, so caches must not store them.',
    { type: 'string', const: 'no-store' },
    'no-store',
  ),
  'Content-Length': header('Size of the body in bytes.', count(0), 48213),
  ETag: header(
    'The SHA-256 digest of the body in base64url, a strong validator.',
    text('^"[A-Za-z0-9_-]{43}"$'),
    '"W6ph5Mm5Pz8GgiULbPgzG37mj9g7mTYvHRsQC5IYQJU"',
  ),
  'X-Skipped': header(
    'Present only if the body is the uploaded file, byte for byte.',
    { type: 'string', const: '1' },
    '1',
  ),
  ...REPORTED,
  'RateLimit-Policy': header(
    'The limit of the account: `q` requests per `w` seconds.',
    text('^"default";q=\\d+;w=\\d+$'),
    '"default";q=20;w=60',
  ),
  RateLimit: header(
    'The state of the limit: `r` requests remain; it resets in `t` seconds.',
    text('^"default";r=\\d+;t=\\d+$'),
    '"default";r=19;t=42',
  ),
  'X-RateLimit-Limit': header('Requests allowed per minute.', count(1), 20),
  'X-RateLimit-Remaining': header('Requests that remain.', count(0), 19),
  'X-RateLimit-Reset': header(
    'Seconds until the limit resets; with 429, seconds until the next request is accepted.',
    count(1),
    42,
  ),
  'Retry-After': header('Seconds to wait before you retry.', count(1), 5),
  'WWW-Authenticate': header(
    'The authentication scheme to use.',
    { type: 'string', const: 'Bearer' },
    'Bearer',
  ),
  Allow: header('The methods that this URL supports.', text('^[A-Z]+(, [A-Z]+)*$'), 'POST'),
  Link: header(
    'The documentation (RFC 8631): `service-desc` is the OpenAPI document, `service-doc` the reference page.',
    text('^<[^>]+>; rel="[^"]+"(, <[^>]+>; rel="[^"]+")*$'),
    '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
  ),
  'Content-Security-Policy': header(
    'What the page may load: scripts, images and data of this service only.',
    { type: 'string' },
    "default-src 'none'",
  ),
  'X-Content-Type-Options': header(
    'Browsers must not guess a type other than `Content-Type`.',
    { type: 'string', const: 'nosniff' },
    'nosniff',
  ),
  'Access-Control-Allow-Origin': header(
    'For browsers, if their origin is one of `CORS_ORIGINS`.',
    { type: 'string' },
    'https://app.example.com',
  ),
  'Access-Control-Expose-Headers': header(
    'For browsers: the headers that a page may read.',
    { type: 'string' },
    'X-Bytes-Saved,X-Quality',
  ),
  Vary: header(
    'The request headers that the response depends on: `Origin` with CORS, `Accept` with `format=auto`.',
    { type: 'string' },
    'Origin',
  ),
} as const satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof HEADERS;
