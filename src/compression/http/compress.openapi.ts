import type {
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from 'openapi3-ts/oas31';
import { UPLOAD_MEDIA_TYPES, UPLOADS } from '../../contract/formats';
import {
  accountSuspended,
  conflictingCredentials,
  missingApiKey,
  quotaExceeded,
  tooManyImages,
  trialExpired,
  trialUsedUp,
  unknownApiKey,
} from '../../contract/account-problems';
import {
  describedHeaders,
  headers,
  OPTIONAL_REPORT_HEADERS,
  QUOTA_HEADERS,
  RATE_LIMIT_HEADERS,
  REPORT_HEADERS,
} from '../../contract/headers';
import {
  budgetUnreachable,
  needsTooMuchMemory,
  cannotConvert,
  notAnImage,
  tooManyPixels,
  undecodable,
} from '../../contract/image-problems';
import { invalidOption } from '../../contract/option-problems';
import type { Problem } from '../../contract/problem';
import { problemResponses } from '../../contract/problem-responses';
import {
  accountStoreUnavailable,
  deadlineExceeded,
  draining,
  problemsOfAnyRequest,
  internalError,
  overloaded,
  requestTimeout,
} from '../../contract/service-problems';
import { mebibytes } from '../../contract/units';
import {
  brokenMultipart,
  imageTooLarge,
  missingImage,
  tooManyFiles,
  unexpectedField,
} from '../../contract/upload-problems';
import type { ResultFormats } from '../../contract/result-formats';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { CompressionSettings } from '../compression.settings';
import { optionParameters } from './compress-options';
import { codeSamples } from '../../contract/samples/code-samples';

/** Returns one problem of each code, in the order of the checks. */
export function problems(
  { maxUploadBytes, policy }: CompressionSettings,
  imagesPerMinute: number,
): Problem[] {
  return [
    ...problemsOfUploads({ maxUploadBytes, policy }, imagesPerMinute),
    budgetUnreachable(50_000, 61_540),
    cannotConvert({
      reason: 'animation',
      words: 'it is animated, and the result would lose its frames',
    }),
    deadlineExceeded(),
    internalError(),
  ];
}

/** Those of every request that uploads an image, up to the work on it. */
export function problemsOfUploads(
  { maxUploadBytes, policy }: Pick<CompressionSettings, 'maxUploadBytes' | 'policy'>,
  imagesPerMinute: number,
): Problem[] {
  return [
    ...problemsOfAnyRequest(),
    draining(),
    overloaded(),
    conflictingCredentials(),
    missingApiKey(),
    unknownApiKey(),
    trialExpired(),
    accountSuspended(),
    accountStoreUnavailable(),
    tooManyImages(imagesPerMinute, 42),
    invalidOption('effort', 'must be one of fast, balanced, max'),
    trialUsedUp(),
    quotaExceeded(1000, 1_209_600, new Date('2026-12-01')),
    brokenMultipart(),
    missingImage(),
    unexpectedField('file'),
    tooManyFiles(),
    requestTimeout(),
    imageTooLarge(maxUploadBytes, maxUploadBytes + 1),
    notAnImage(),
    undecodable('JPEG'),
    tooManyPixels({ width: 65_500, height: 65_500 }, policy.maxPixels),
    needsTooMuchMemory(500_000_000, 1_200_000_000),
  ];
}

export const FORM: RequestBodyObject = {
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
            format: 'binary',
            contentMediaType: 'application/octet-stream',
            description: `A ${UPLOADS.or} file. Its bytes determine the format; its name and declared type are ignored.`,
          },
        },
      },
      encoding: { image: { contentType: UPLOAD_MEDIA_TYPES.join(', ') } },
    },
  },
};

/** @param options as query parameters */
export function uploadParameters(options: readonly ParameterObject[]): (ParameterObject | ReferenceObject)[] {
  return [
    { $ref: '#/components/parameters/RequestId' },
    {
      name: 'Expect',
      in: 'header',
      description:
        'Wait for permission before you send a large body: the service sends `100 Continue` once all checks on the headers have passed.',
      schema: { type: 'string', enum: ['100-continue'] },
    },
    ...options,
  ];
}

/** Returns the OpenAPI operation of `POST /api/v1/compress`. */
export function compressOperation(
  settings: CompressionSettings,
  { imagesPerMinute }: RateLimitSettings,
): OperationObject {
  const { maxUploadBytes, policy } = settings;
  const limit =
    imagesPerMinute > 0
      ? `An account may send ${imagesPerMinute} requests per minute to compress images, refused ones included.`
      : '';
  return {
    operationId: 'compressImage',
    tags: ['Compression'],
    summary: 'Compress an image',
    description: [
      `Send a ${UPLOADS.or} and get a smaller image that looks the same. A file that cannot be made smaller is returned unchanged.`,
      `The file may have up to ${mebibytes(maxUploadBytes)} MiB and ${policy.maxPixels / 1e6} megapixels; if its longer side exceeds ${policy.maxDimensionPx} px, it is scaled down. ${limit}`,
      'The body of a refused request is discarded and the connection is closed. Send `Expect: 100-continue` to avoid uploading a body that will be refused.',
    ].join('\n\n'),
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: uploadParameters(optionParameters(settings)),
    requestBody: FORM,
    responses: {
      200: compressed(imagesPerMinute > 0, settings.resultFormats),
      ...problemResponses(problems(settings, imagesPerMinute), RATE_LIMIT_HEADERS),
    },
    'x-codeSamples': codeSamples({
      method: 'POST',
      path: '/api/v1/compress?quality=medium',
      needsKey: true,
      files: { image: 'photo.jpg' },
      savedAs: 'smaller.jpg',
      shown: ['X-Bytes-Saved', 'bytes saved'],
    }),
  };
}

function compressed(isLimited: boolean, formats: ResultFormats): ResponseObject {
  return {
    description: [
      'The compressed image, in the format of the upload unless `format` asks for another one.',
      describedHeaders([...REPORT_HEADERS, ...OPTIONAL_REPORT_HEADERS]),
    ].join('\n\n'),
    headers: headers(
      [...REPORT_HEADERS, 'Content-Length', ...(isLimited ? RATE_LIMIT_HEADERS : [])],
      [...OPTIONAL_REPORT_HEADERS, ...(isLimited ? [] : QUOTA_HEADERS)],
    ),
    content: {
      ...Object.fromEntries(
        formats.facts.map(({ label, mediaType }) => {
          const schema = { type: 'string', contentMediaType: mediaType } as const;
          return [mediaType, { schema, example: `(the bytes of the ${label})` }];
        }),
      ),
    },
  };
}
