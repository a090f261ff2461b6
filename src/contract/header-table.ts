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
const header = (description: string, schema: SchemaObject, example: unknown): HeaderObject => ({
  description,
  schema,
  example,
});

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
  'X-Original-Size': header('Size of the uploaded file in bytes.', count(1), 254810),
  'X-Compressed-Size': header('Size of the returned file in bytes.', count(1), 48213),
  'X-Bytes-Saved': header(
    'The difference in bytes; 0 if scaling down made the file larger.',
    count(0),
    206597,
  ),
  'X-Removed': header(
    `What was removed besides the metadata that \`metadata\` does not keep, separated by commas: ${Object.entries(
      REMOVED_COMPANIONS,
    )
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(', ')}. Absent when nothing else was removed.`,
    text(
      `^(${Object.keys(REMOVED_COMPANIONS).join('|')})(, (${Object.keys(REMOVED_COMPANIONS).join('|')}))*$`,
    ),
    'motion-video',
  ),
  'X-Quality': header(
    'The quality that the search found, from 1 to 100, on the scale of the encoder of the format. After a lossless rewrite of a JPG, or a copy without its private metadata, the estimated quality of the upload. Absent for PNG, lossless WebP and skipped images.',
    count(1, 100),
    77,
  ),
  'X-SSIM': header(
    'Similarity of the returned pixels to the original; 1.0000 if no pixel changed.',
    text('^(0\\.\\d{4}|1\\.0000)$'),
    '0.9916',
  ),
  'X-Density': header(
    'The pixels per CSS pixel at which the images were compared, from 1.1 to 4: less than `density` if the image is too small. Absent at 1.',
    text('^[1-4](\\.\\d)?$'),
    '2',
  ),
  'X-Max-Error': header(
    'The largest difference of any channel of any pixel, of 255, for PNG and lossless WebP; 0 if no pixel changed. Absent for lossy formats and with a new palette.',
    count(0, 255),
    2,
  ),
  'X-Skipped': header(
    'Present only if the body is the uploaded file, byte for byte.',
    { type: 'string', const: '1' },
    '1',
  ),
  'X-Skip-Reason': header(
    `Why the file was returned unchanged: ${Object.entries(SKIP_REASONS)
      .map(([reason, words]) => `\`${reason}\` (${words})`)
      .join(', ')}.`,
    { type: 'string', enum: Object.keys(SKIP_REASONS) },
    'already-optimised',
  ),
  'X-Budget': header(
    `Whether the result fits into \`max_bytes\`: ${Object.entries(BUDGET_OUTCOMES)
      .map(([outcome, words]) => `\`${outcome}\` (${words})`)
      .join(', ')}.`,
    { type: 'string', enum: Object.keys(BUDGET_OUTCOMES) },
    'met',
  ),
  'X-JPEG-Estimate': header(
    'Estimated bytes of a photo in an opaque PNG as a JPG of the same quality. Absent unless that is much smaller. `format=jpeg` converts it.',
    { type: 'integer', minimum: 1 },
    182000,
  ),
  'X-Original-Dimensions': header(
    'Width and height of the uploaded image in pixels, after EXIF rotation.',
    dimensions,
    '5120x2880',
  ),
  'X-Dimensions': header('Width and height of the returned image in pixels.', dimensions, '3840x2160'),
  'Server-Timing': header(
    'Milliseconds spent in `queue`, `decode`, `search`, `encode` and `verify`.',
    text('^\\w+;dur=[\\d.]+(, \\w+;dur=[\\d.]+)*$'),
    'queue;dur=0.4, decode;dur=21.0, search;dur=88.2, encode;dur=40.1, verify;dur=30.3',
  ),
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
