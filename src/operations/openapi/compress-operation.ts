import type { OperationObject, ResponseObject } from 'openapi3-ts/oas31';
import type { Settings } from '../../settings/settings';
import type { ProblemCode } from '../problem';
import { headers, RATE_LIMIT } from './headers';
import { mebibytes, problemResponses } from './problem-responses';

/** Errors that can come before the account is known, and those that can come after it has been counted. */
const BEFORE_THE_LIMIT: readonly ProblemCode[] = [
  'conflicting_credentials',
  'missing_api_key',
  'invalid_api_key',
  'account_suspended',
];
const AFTER_THE_LIMIT: readonly ProblemCode[] = [
  'invalid_multipart',
  'missing_image',
  'unexpected_field',
  'too_many_files',
  'request_timeout',
  'image_too_large',
  'unsupported_media_type',
  'undecodable_image',
  'too_many_pixels',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'deadline_exceeded',
  'draining',
  'dependency_unavailable',
];

/** `POST /api/v1/compress`, the operation. */
export function compressOperation(settings: Settings): OperationObject {
  const { maxUploadBytes, policy, rateLimitPerMinute } = settings;
  const limit =
    rateLimitPerMinute > 0 ? `An account may compress ${rateLimitPerMinute} images a minute.` : '';
  return {
    operationId: 'compressImage',
    tags: ['Compression'],
    summary: 'Compress an image',
    description: [
      'A JPG or PNG goes in, a smaller one that looks the same comes out; what cannot gain comes back byte for byte.',
      `The file may have up to ${mebibytes(maxUploadBytes)} MiB and ${policy.maxPixels / 1e6} megapixels; when its longer side is over ${policy.maxDimensionPx} px it is scaled down. ${limit}`,
      'A refused request is not read to its end: the connection is closed instead. Callers who send `Expect: 100-continue` are not even asked for the body.',
    ].join('\n\n'),
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [
      { $ref: '#/components/parameters/RequestId' },
      {
        name: 'Expect',
        in: 'header',
        description:
          'Ask before sending a large body; `100 Continue` follows when all checks on the headers pass.',
        schema: { type: 'string', enum: ['100-continue'] },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['image'],
            additionalProperties: false,
            properties: {
              image: {
                type: 'string',
                contentMediaType: 'application/octet-stream',
                description:
                  'The file: JPG or PNG, decided by its bytes, whatever its name or declared type.',
              },
            },
          },
          encoding: { image: { contentType: 'image/jpeg, image/png' } },
        },
      },
    },
    responses: {
      200: compressed(rateLimitPerMinute > 0),
      ...problemResponses(settings, [...BEFORE_THE_LIMIT, ...AFTER_THE_LIMIT], RATE_LIMIT),
    },
    'x-codeSamples': [
      {
        lang: 'Shell',
        source:
          'curl -sS -D - -o smaller.jpg -H "Authorization: Bearer $KEY" -F image=@photo.jpg http://localhost:3000/api/v1/compress',
      },
    ],
  };
}

function compressed(isLimited: boolean): ResponseObject {
  return {
    description: 'The image, in the format that it came in.',
    headers: headers(
      [
        'X-Original-Size',
        'X-Compressed-Size',
        'X-Bytes-Saved',
        'X-SSIM',
        'X-Original-Dimensions',
        'X-Dimensions',
        'Server-Timing',
        'ETag',
        'Content-Length',
        ...(isLimited ? RATE_LIMIT : []),
      ],
      ['X-Quality', 'X-Skipped', 'X-Skip-Reason'],
    ),
    content: {
      'image/jpeg': { schema: { type: 'string', contentMediaType: 'image/jpeg' } },
      'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } },
    },
  };
}
