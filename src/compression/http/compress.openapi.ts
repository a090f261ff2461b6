/** The OpenAPI description of POST /api/v1/compress; its options, headers and problems come from their tables. */
import type { ContentObject, PathsObject, ResponseObject } from 'openapi3-ts/oas31';
import { documentedPaths } from '../../contract/documented-operation';
import type { Formats } from '../../contract/formats';
import { credentialProblems, tooManyImages, trialUsedUp } from '../../contract/account-problems';
import { headers, OPTIONAL_REPORT_HEADERS, RATE_LIMIT_HEADERS, REPORT_HEADERS } from '../../contract/headers';
import * as image from '../../contract/image-problems';
import { invalidOption } from '../../contract/option-problems';
import { compressSamples } from '../../contract/samples';
import * as service from '../../contract/service-problems';
import { mebibytes } from '../../contract/units';
import * as upload from '../../contract/upload-problems';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { CompressionSettings } from '../compression.settings';
import { optionParameters } from './compress-options';

/** Without the options: forms made from the schema would send each of them twice, here and in the query. */
const form = ({ or, mediaTypes }: Formats['uploads']): ContentObject => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['image'],
      properties: {
        image: {
          type: 'string',
          format: 'binary',
          contentMediaType: 'application/octet-stream',
          description: `A ${or} file. Its bytes determine the format; its name and declared type are ignored.`,
        },
      },
    },
    encoding: { image: { contentType: mediaTypes.join(', ') } },
  },
});

export function compressPaths(
  settings: CompressionSettings,
  { imagesPerMinute }: RateLimitSettings,
  needsKey: boolean,
): PathsObject {
  const { maxUploadBytes, policy, acceptedFormats: formats } = settings;
  const limit =
    imagesPerMinute > 0
      ? `An account may send ${imagesPerMinute} requests per minute to compress images, refused ones included.`
      : '';
  return documentedPaths(
    { tags: ['Compression'], needsKey, problemHeaders: RATE_LIMIT_HEADERS },
    {
      'POST /api/v1/compress': {
        operationId: 'compressImage',
        summary: 'Compress an image',
        description: [
          `Send a ${formats.uploads.or} and get a smaller image that looks the same. A file that cannot be made smaller is returned unchanged.`,
          `The file may have up to ${mebibytes(maxUploadBytes)} MiB and ${policy.maxPixels / 1e6} megapixels; if its longer side exceeds ${policy.maxDimensionPx} px, it is scaled down. ${limit}`,
          'Send the options as query parameters, or as fields of the form.',
          'The body of a refused request is discarded and the connection is closed. Send `Expect: 100-continue` to avoid uploading a body that will be refused.',
        ].join('\n\n'),
        parameters: [
          {
            name: 'Expect',
            in: 'header',
            description: 'The service sends `100 Continue` once all checks on the headers have passed.',
            schema: { type: 'string', enum: ['100-continue'] },
          },
          ...optionParameters(settings),
        ],
        body: form(formats.uploads),
        responses: { 200: compressed(imagesPerMinute > 0, formats) },
        // One problem of each code.
        problems: [
          service.draining(),
          service.overloaded(),
          ...(needsKey ? [...credentialProblems(), trialUsedUp(), service.accountStoreUnavailable()] : []),
          tooManyImages(imagesPerMinute, 42),
          invalidOption('effort', 'must be one of fast, balanced, max'),
          upload.brokenMultipart(),
          upload.missingImage(formats),
          upload.unexpectedField('file'),
          upload.tooManyFiles(),
          service.requestTimeout(),
          upload.imageTooLarge(maxUploadBytes, maxUploadBytes + 1),
          image.notAnImage(undefined, formats),
          image.undecodable('JPEG'),
          image.tooManyPixels({ width: 65_500, height: 65_500 }, policy.maxPixels),
          image.needsTooMuchMemory(500_000_000, 1_200_000_000),
          image.budgetUnreachable(50_000, 61_540),
          image.cannotConvert(image.lostTransparency('JPG')),
          service.deadlineExceeded(),
        ],
        samples: compressSamples(needsKey),
      },
    },
  );
}

function compressed(isLimited: boolean, formats: Formats): ResponseObject {
  return {
    description: 'The compressed image, in the format of the upload unless `format` asks for another one.',
    headers: headers(
      [...REPORT_HEADERS, 'Content-Length', ...(isLimited ? RATE_LIMIT_HEADERS : [])],
      OPTIONAL_REPORT_HEADERS,
    ),
    content: Object.fromEntries(
      formats.facts.map(({ label, mediaType }) => {
        const schema = { type: 'string', format: 'binary', contentMediaType: mediaType } as const;
        return [mediaType, { schema, example: `(the bytes of the ${label})` }];
      }),
    ),
  };
}
