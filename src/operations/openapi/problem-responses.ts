/** The errors, one response a status, one example a code. Status and title come from the table of problems. */
import type { ResponsesObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Settings } from '../../settings/settings';
import { Problem, type ProblemCode, type ProblemFacts } from '../problem';
import { headers, type HeaderName } from './headers';

const EXAMPLE_ID = '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11';

/** What a caller may read when it happens. A code without an example does not compile. */
function examples({ maxUploadBytes, policy, rateLimitPerMinute }: Settings): Examples {
  return {
    invalid_multipart: ['The multipart body is damaged, cut off, or has no boundary.'],
    missing_image: ['Send a JPG or PNG file in the field "image".'],
    unexpected_field: ['Only the file field "image" is read; "file" is not.'],
    too_many_files: ['Send one file a request, in the field "image".'],
    conflicting_credentials: ['The headers carry different API keys; send one of them.'],
    invalid_request: ['The request or its JSON body is malformed, or too large.'],
    missing_api_key: ['Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".'],
    invalid_api_key: ['This API key is unknown or has been revoked; use another one.'],
    account_suspended: ['This account has been suspended; ask the operator of the service.'],
    signup_closed: ['Accounts are opened by the operator of this service only.'],
    not_found: ['No such address; the operation is POST /api/v1/compress, and GET /docs lists the others.'],
    method_not_allowed: ['GET is not allowed here; use POST.', { allow: ['POST'] }],
    request_timeout: ['The request was not sent within the time allowed.'],
    account_exists: ['There is an account for this e-mail address; use one of its keys.'],
    image_too_large: [
      `The file is larger than the ${mebibytes(maxUploadBytes)} MiB accepted here.`,
      { limit: maxUploadBytes, actual: maxUploadBytes + 1 },
    ],
    unsupported_media_type: ['The file is neither a JPG nor a PNG, by its first bytes.'],
    undecodable_image: ['The JPEG cannot be decoded: it is damaged, cut off or of an unsupported kind.'],
    too_many_pixels: [
      `The image is 65500 x 65500 pixels; at most ${policy.maxPixels / 1e6} megapixels are accepted.`,
      { limit: policy.maxPixels, actual: 65_500 * 65_500 },
    ],
    headers_too_large: ['The request headers are too large.'],
    rate_limited: [
      `This account may compress ${rateLimitPerMinute} images a minute; wait 42 s.`,
      { limit: rateLimitPerMinute, retryAfter: 42 },
    ],
    internal_error: ['The fault has been logged under this request id; trying again may help.'],
    overloaded: ['There is no room for another image at the moment; try again shortly.', { retryAfter: 5 }],
    deadline_exceeded: [
      'The image was not done within its time; try again when there is less to do.',
      { retryAfter: 5 },
    ],
    draining: ['This instance is stopping; another one will answer.', { retryAfter: 1 }],
    dependency_unavailable: [
      'Accounts cannot be looked up at the moment; try again shortly.',
      { retryAfter: 5 },
    ],
  };
}
type Examples = Readonly<Record<ProblemCode, readonly [detail: string, facts?: ProblemFacts]>>;

/** One problem of each code, as the table and the limits of this deployment give it. */
function exampleProblems(settings: Settings): Readonly<Record<ProblemCode, Problem>> {
  const entries = Object.entries(examples(settings)).map(([code, [detail, facts]]) => [
    code,
    new Problem(code as ProblemCode, detail, facts),
  ]);
  return Object.fromEntries(entries) as Record<ProblemCode, Problem>;
}

/** Headers that belong to an error by its status, wherever it comes from. */
const BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow', 'Link'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The responses for these codes. `sometimes`: headers that may be there, depending on how far a request came. */
export function problemResponses(
  settings: Settings,
  codes: readonly ProblemCode[],
  sometimes: readonly HeaderName[] = [],
): ResponsesObject {
  const problems = exampleProblems(settings);
  const responses: ResponsesObject = {};
  for (const status of new Set(codes.map((code) => problems[code].status))) {
    const ofStatus = codes.filter((code) => problems[code].status === status);
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${titleOf(problems[code])}.`).join(' '),
      headers: headers(BY_STATUS[status] ?? [], sometimes),
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { type: 'object', properties: { code: { type: 'string', enum: ofStatus } } },
            ],
          },
          examples: Object.fromEntries(
            ofStatus.map((code) => [
              code,
              { summary: titleOf(problems[code]), value: problems[code].toBody(EXAMPLE_ID) },
            ]),
          ),
        },
      },
    };
  }
  return responses;
}

/** RFC 9457, with the members that this service adds. */
export function problemSchema(settings: Settings): SchemaObject {
  return {
    type: 'object',
    description: 'An error, in the form of RFC 9457. The codes are stable; titles and details may change.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'The kind of problem, as a URN.' },
      title: { type: 'string', description: 'The kind of problem, in words.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'What happened here, and what to do next.' },
      instance: { type: 'string', format: 'uri', description: 'This request, as a URN.' },
      code: {
        type: 'string',
        description: 'What programs go by.',
        enum: Object.keys(exampleProblems(settings)),
      },
      request_id: { type: 'string', description: 'Equal to the header `X-Request-Id`.' },
      limit: { type: 'integer', description: 'What is allowed, where a number helps.' },
      actual: { type: 'integer', description: 'What was found, where it is known.' },
      retry_after: { type: 'integer', minimum: 1, description: 'Seconds, equal to `Retry-After`.' },
    },
  };
}

export function mebibytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 100) / 100;
}

function titleOf(problem: Problem): string {
  return String(problem.toBody(EXAMPLE_ID)['title']);
}
