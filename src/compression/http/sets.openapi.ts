import type { OperationObject, ParameterObject } from 'openapi3-ts/oas31';
import { headers, RATE_LIMIT_HEADERS } from '../../contract/headers';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { CompressionSettings } from '../compression.settings';
import { SET_OPTIONS } from '../options/set-options';
import { optionParameters } from './compress-options';
import { FORM, imageOperation, RESULT_PROBLEMS } from './compress.openapi';

/** The width and the density of the files replace these options. */
const REPLACED = ['max_dimension'];

/** Returns the OpenAPI operation of `POST /api/v1/sets`. */
export function setsOperation(settings: CompressionSettings, limits: RateLimitSettings): OperationObject {
  const { setVariants } = settings;
  const shared = optionParameters(settings).filter(({ name }) => !REPLACED.includes(name));
  const isLimited = limits.imagesPerMinute > 0;
  return imageOperation(settings, limits, {
    operationId: 'makeSet',
    summary: 'Compress an image to several sizes and formats',
    description: [
      'Send an image and get the files for a `srcset`: each of the sizes in each of the formats of `format`. Every file has the bytes that `/api/v1/compress` returns for its `max_dimension`, `density` and `format`. Nothing is enlarged: sizes that are wider than the image are left out.',
      `Give \`widths\`, which share one \`density\`, or \`width\` and \`densities\`. A set has at most ${setVariants} files. It is one request of the rate limit, and as many images as it has files.`,
      'The response is a ZIP without compression, or `multipart/mixed` if `Accept` prefers it. It contains each file as soon as it is finished, then `set.json`: the files with sizes and scores, the sizes that were left out, files that failed after the first one, and the markup.',
    ].join('\n\n'),
    parameters: [...setParameters(), ...shared],
    requestBody: FORM,
    responses: {
      200: {
        description: 'The files and `set.json`.',
        headers: headers(isLimited ? RATE_LIMIT_HEADERS : []),
        content: Object.fromEntries(
          ['application/zip', 'multipart/mixed'].map((mediaType) => [
            mediaType,
            { schema: { type: 'string', contentMediaType: mediaType } as const, example: '(the files)' },
          ]),
        ),
      },
    },
    problems: RESULT_PROBLEMS,
    sample: {
      method: 'POST',
      path: '/api/v1/sets?widths=480,960&format=avif,same',
      needsKey: true,
      files: { image: 'photo.jpg' },
      savedAs: 'set.zip',
    },
  });
}

function setParameters(): ParameterObject[] {
  return Object.entries(SET_OPTIONS).map(([name, { help, example }]) => ({
    name,
    in: 'query',
    description: `${help.charAt(0).toUpperCase()}${help.slice(1)}.`,
    schema: { type: 'string' },
    examples: { default: { value: example, 'x-disabled': true } },
  }));
}
