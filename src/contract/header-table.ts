/** Every response header of the contract, with its description. Each operation lists the headers that it sends. */
import type { HeaderObject, SchemaObject } from 'openapi3-ts/oas31';
import { BUDGET_OUTCOMES, REMOVED_COMPANIONS, SKIP_REASONS } from './report-words';

const count = (minimum: number, maximum?: number): SchemaObject => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});
const text = (pattern: string): SchemaObject => ({ type: 'string', pattern });
const dimensions = text('^\\d+x\\d+$');

export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies the request in the log. A valid id that you send is echoed.',
    schema: text('^[A-Za-z0-9._:-]{1,128}$'),
    example: '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11',
  },
  'Cache-Control': {
    description: 'Responses contain keys, account data and private images, so caches must not store them.',
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'Content-Length': { description: 'Size of the body in bytes.', schema: count(0), example: 48213 },
  ETag: {
    description: 'The SHA-256 digest of the body in base64url, a strong validator.',
    schema: text('^"[A-Za-z0-9_-]{43}"$'),
    example: '"W6ph5Mm5Pz8GgiULbPgzG37mj9g7mTYvHRsQC5IYQJU"',
  },
  'X-Original-Size': {
    description: 'Size of the uploaded file in bytes.',
    schema: count(1),
    example: 254810,
  },
  'X-Compressed-Size': {
    description: 'Size of the returned file in bytes.',
    schema: count(1),
    example: 48213,
  },
  'X-Bytes-Saved': {
    description: 'The difference in bytes; 0 if scaling down made the file larger.',
    schema: count(0),
    example: 206597,
  },
  'X-Removed': {
    description: `What was removed besides the metadata that \`metadata\` does not keep, separated by commas: ${Object.entries(
      REMOVED_COMPANIONS,
    )
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(', ')}. Absent when nothing else was removed.`,
    schema: text(
      `^(${Object.keys(REMOVED_COMPANIONS).join('|')})(, (${Object.keys(REMOVED_COMPANIONS).join('|')}))*$`,
    ),
    example: 'motion-video',
  },
  'X-Quality': {
    description:
      'The quality that the search found, from 1 to 100, on the scale of the encoder of the format. After a lossless rewrite of a JPG, or a copy without its private metadata, the estimated quality of the upload. Absent for PNG, lossless WebP and skipped images.',
    schema: count(1, 100),
    example: 77,
  },
  'X-SSIM': {
    description: 'Similarity of the returned pixels to the original; 1.0000 if no pixel changed.',
    schema: text('^(0\\.\\d{4}|1\\.0000)$'),
    example: '0.9916',
  },
  'X-Density': {
    description:
      'The pixels per CSS pixel at which the images were compared, from 1.1 to 4: less than `density` if the image is too small. Absent at 1.',
    schema: text('^[1-4](\\.\\d)?$'),
    example: '2',
  },
  'X-Max-Error': {
    description:
      'The largest difference of any channel of any pixel, of 255, for PNG and lossless WebP; 0 if no pixel changed. Absent for lossy formats and with a new palette.',
    schema: count(0, 255),
    example: 2,
  },
  'X-Skipped': {
    description: 'Present only if the body is the uploaded file, byte for byte.',
    schema: { type: 'string', const: '1' },
    example: '1',
  },
  'X-Skip-Reason': {
    description: `Why the file was returned unchanged: ${Object.entries(SKIP_REASONS)
      .map(([reason, words]) => `\`${reason}\` (${words})`)
      .join(', ')}.`,
    schema: { type: 'string', enum: Object.keys(SKIP_REASONS) },
    example: 'already-optimised',
  },
  'X-Budget': {
    description: `Whether the result fits into \`max_bytes\`: ${Object.entries(BUDGET_OUTCOMES)
      .map(([outcome, words]) => `\`${outcome}\` (${words})`)
      .join(', ')}.`,
    schema: { type: 'string', enum: Object.keys(BUDGET_OUTCOMES) },
    example: 'met',
  },
  'X-JPEG-Estimate': {
    description:
      'Estimated bytes of a photo in an opaque PNG as a JPG of the same quality. Absent unless that is much smaller. `format=jpeg` converts it.',
    schema: { type: 'integer', minimum: 1 },
    example: 182000,
  },
  'X-Cache': {
    description:
      'Present when the same bytes were compressed before, or at the same time, and the result was remembered: the headers about the image are those of the first response. Only with `CACHE_MB`.',
    schema: { type: 'string', const: 'hit' },
    example: 'hit',
  },
  'X-Original-Dimensions': {
    description: 'Width and height of the uploaded image in pixels, after EXIF rotation.',
    schema: dimensions,
    example: '5120x2880',
  },
  'X-Dimensions': {
    description: 'Width and height of the returned image in pixels.',
    schema: dimensions,
    example: '3840x2160',
  },
  'Server-Timing': {
    description: 'Milliseconds spent in `queue`, `decode`, `search`, `encode` and `verify`.',
    schema: text('^\\w+;dur=[\\d.]+(, \\w+;dur=[\\d.]+)*$'),
    example: 'queue;dur=0.4, decode;dur=21.0, search;dur=88.2, encode;dur=40.1, verify;dur=30.3',
  },
  'RateLimit-Policy': {
    description:
      'The limits of the account: `q` requests per `w` seconds for `"default"`; with a quota, `q` images in a calendar month of `w` seconds for `"month"`.',
    schema: text('^"(default|month)";q=\\d+;w=\\d+(, "month";q=\\d+;w=\\d+)?$'),
    example: '"default";q=20;w=60, "month";q=1000;w=2592000',
  },
  RateLimit: {
    description: 'The state of each limit: `r` requests or images remain; it resets in `t` seconds.',
    schema: text('^"(default|month)";r=\\d+;t=\\d+(, "month";r=\\d+;t=\\d+)?$'),
    example: '"default";r=19;t=42, "month";r=958;t=1209600',
  },
  'X-RateLimit-Limit': { description: 'Requests allowed per minute.', schema: count(1), example: 20 },
  'X-RateLimit-Remaining': { description: 'Requests that remain.', schema: count(0), example: 19 },
  'X-RateLimit-Reset': {
    description: 'Seconds until the limit resets; with 429, seconds until the next request is accepted.',
    schema: count(1),
    example: 42,
  },
  'Retry-After': { description: 'Seconds to wait before you retry.', schema: count(1), example: 5 },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods that this URL supports.',
    schema: text('^[A-Z]+(, [A-Z]+)*$'),
    example: 'POST',
  },
  Link: {
    description:
      'The documentation (RFC 8631): `service-desc` is the OpenAPI document, `service-doc` the reference page. For usage as CSV: `next` is the next page (RFC 8288).',
    schema: text('^<[^>]+>; rel="[^"]+"(, <[^>]+>; rel="[^"]+")*$'),
    example: '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
  },
  'Content-Security-Policy': {
    description: 'What the page may load: scripts, images and data of this service only.',
    schema: { type: 'string' },
    example: "default-src 'none'",
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess a type other than `Content-Type`.',
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'Access-Control-Allow-Origin': {
    description: 'For browsers, if their origin is one of `CORS_ORIGINS`.',
    schema: { type: 'string' },
    example: 'https://app.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'For browsers: the headers that a page may read.',
    schema: { type: 'string' },
    example: 'X-Bytes-Saved,X-Quality',
  },
  Vary: {
    description:
      'The request headers that the response depends on: `Origin` with CORS, `Accept` with `format=auto` and for usage.',
    schema: { type: 'string' },
    example: 'Origin',
  },
} as const satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof HEADERS;
