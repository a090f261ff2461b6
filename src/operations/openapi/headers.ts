/** Every header that an answer can carry, described once. Which answer carries which is said by the operations. */
import type { HeaderObject, HeadersObject, SchemaObject } from 'openapi3-ts/oas31';
import type { SkipReason } from '../../compression/domain/compression-report';

/** In words, so that a new reason cannot be added without them. */
const SKIP_REASONS: Readonly<Record<SkipReason, string>> = {
  'already-optimised': 'no result was smaller by enough',
  animated: 'an animation is never taken apart',
  'motion-photo': 'a film lies behind the picture',
  'multi-picture': 'other pictures of the same scene lie behind it',
};

const count = (minimum: number, maximum?: number): SchemaObject => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});
const text = (pattern: string): SchemaObject => ({ type: 'string', pattern });
const dimensions = text('^\\d+x\\d+$');

const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in the log of the service; yours is echoed when it is safe to.',
    schema: text('^[A-Za-z0-9._:-]{1,128}$'),
    example: '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11',
  },
  'Cache-Control': {
    description: 'Answers carry keys, accounts and private images: nothing in between may keep them.',
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'Content-Length': { description: 'Bytes of the body, exactly.', schema: count(0), example: 48213 },
  ETag: {
    description: 'Strong: the SHA-256 digest of the body, in base64url.',
    schema: text('^"[A-Za-z0-9_-]{43}"$'),
    example: '"W6ph5Mm5Pz8GgiULbPgzG37mj9g7mTYvHRsQC5IYQJU"',
  },
  'X-Original-Size': { description: 'Bytes of the uploaded file.', schema: count(1), example: 254810 },
  'X-Compressed-Size': { description: 'Bytes of the answer.', schema: count(1), example: 48213 },
  'X-Bytes-Saved': {
    description: 'The difference; 0 where an image that had to be scaled down gained bytes.',
    schema: count(0),
    example: 206597,
  },
  'X-Quality': {
    description:
      'The JPG quality that was found, on the scale of MozJPEG; after a lossless rewrite the quality of the source, estimated. Absent for PNG and for an image that was skipped.',
    schema: count(1, 100),
    example: 77,
  },
  'X-SSIM': {
    description: 'The score of the delivered pixels against the original; 1.0000 when no pixel has changed.',
    schema: text('^(0\\.\\d{4}|1\\.0000)$'),
    example: '0.9916',
  },
  'X-Skipped': {
    description: 'Present only when the body is the uploaded file, byte for byte.',
    schema: { type: 'string', const: '1' },
    example: '1',
  },
  'X-Skip-Reason': {
    description: `With \`X-Skipped\`: ${Object.entries(SKIP_REASONS)
      .map(([reason, words]) => `\`${reason}\` (${words})`)
      .join(', ')}.`,
    schema: { type: 'string', enum: Object.keys(SKIP_REASONS) },
    example: 'already-optimised',
  },
  'X-Original-Dimensions': {
    description: 'Width and height of the uploaded image in pixels, upright.',
    schema: dimensions,
    example: '5120x2880',
  },
  'X-Dimensions': {
    description: 'Width and height of the answer in pixels.',
    schema: dimensions,
    example: '3840x2160',
  },
  'Server-Timing': {
    description: 'Milliseconds spent in `queue`, `decode`, `search`, `encode` and `verify`.',
    schema: text('^\\w+;dur=[\\d.]+(, \\w+;dur=[\\d.]+)*$'),
    example: 'queue;dur=0.4, decode;dur=21.0, search;dur=88.2, encode;dur=40.1, verify;dur=30.3',
  },
  'RateLimit-Policy': {
    description: 'The limit of the account: `q` requests in `w` seconds.',
    schema: text('^"default";q=\\d+;w=\\d+$'),
    example: '"default";q=20;w=60',
  },
  RateLimit: {
    description: 'Where the account stands: `r` requests remain, `t` seconds until the limit is fresh.',
    schema: text('^"default";r=\\d+;t=\\d+$'),
    example: '"default";r=19;t=42',
  },
  'X-RateLimit-Limit': { description: 'Requests in a minute.', schema: count(1), example: 20 },
  'X-RateLimit-Remaining': { description: 'Requests that remain.', schema: count(0), example: 19 },
  'X-RateLimit-Reset': {
    description: 'Seconds until the limit is fresh; on a refusal, until the next request is accepted.',
    schema: count(1),
    example: 42,
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    schema: count(1),
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods that this address answers.',
    schema: text('^[A-Z]+(, [A-Z]+)*$'),
    example: 'POST',
  },
  Link: {
    description: 'Where the documentation is (RFC 8631): `service-desc` this document, `service-doc` a page.',
    schema: text('^<[^>]+>; rel="[^"]+"(, <[^>]+>; rel="[^"]+")*$'),
    example: '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
  },
  'Content-Security-Policy': {
    description: 'The page runs no script and loads nothing.',
    schema: { type: 'string' },
    example: "default-src 'none'",
  },
  'X-Content-Type-Options': {
    description: 'Browsers shall believe the content type.',
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'Access-Control-Allow-Origin': {
    description: 'For browsers, when their origin is among `CORS_ORIGINS`.',
    schema: { type: 'string' },
    example: 'https://app.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'For browsers: the headers that a page may read.',
    schema: { type: 'string' },
    example: 'X-Bytes-Saved,X-Quality',
  },
  Vary: {
    description: 'The answer depends on the origin that asks.',
    schema: { type: 'string' },
    example: 'Origin',
  },
} as const satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

export const RATE_LIMIT: readonly HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** What a gate to other origins adds to an answer; only there when CORS_ORIGINS is set. */
const CORS: readonly HeaderName[] = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary'];

/** The headers of one kind of answer: those that it always has, and those that depend. */
export function headers(always: readonly HeaderName[], sometimes: readonly HeaderName[] = []): HeadersObject {
  const required = new Set<HeaderName>(['X-Request-Id', 'Cache-Control', ...always]);
  return Object.fromEntries(
    [...required, ...sometimes, ...CORS].map((name) => [
      name,
      { ...HEADERS[name], ...(required.has(name) ? { required: true } : {}) },
    ]),
  );
}
