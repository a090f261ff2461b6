import type { OperationObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { UPLOADS } from '../../contract/formats';
import { headers, RATE_LIMIT_HEADERS } from '../../contract/headers';
import { cannotCompare } from '../../contract/comparison-problems';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { CompressionSettings } from '../compression.settings';
import { OPTIONS } from '../options/option-table';
import { optionParameters } from './compress-options';
import { formOf, imageOperation } from './compress.openapi';

const px = z.int().min(1);
const dimensions = z.object({ width: px, height: px });

const BODY = z.object({
  ssim: z
    .number()
    .min(0)
    .max(1)
    .describe('Similarity of the image to the original, with four decimals: the number of `X-SSIM`.'),
  ssimulacra2: z
    .number()
    .max(100)
    .nullable()
    .describe(
      'SSIMULACRA 2.1 with two decimals; null if the images are smaller than 8 × 8 px as they are seen.',
    ),
  max_error: z.int().min(0).max(255).describe('The largest difference of any channel of any pixel.'),
  worst: dimensions
    .extend({ x: z.int().min(0), y: z.int().min(0) })
    .nullable()
    .describe('The square that differs most, in pixels of the image; null if no pixel differs.'),
  density: z.number().min(1).max(4).describe('The density at which both were compared.'),
  dimensions: dimensions.describe('Of the image, upright.'),
  original_dimensions: dimensions.describe('Of the original, upright and before it was scaled.'),
});

export type ComparisonBody = z.infer<typeof BODY>;

const EXAMPLE: ComparisonBody = {
  ssim: 0.9917,
  ssimulacra2: 79.79,
  max_error: 32,
  worst: { x: 1184, y: 800, width: 32, height: 32 },
  density: 1,
  dimensions: { width: 1600, height: 1067 },
  original_dimensions: { width: 1600, height: 1067 },
};

const SCHEMA = { ...z.toJSONSchema(BODY), $schema: undefined } as SchemaObject;

/** Returns the OpenAPI operation of `POST /api/v1/compare`. */
export function compareOperation(settings: CompressionSettings, limits: RateLimitSettings): OperationObject {
  return imageOperation(settings, limits, {
    operationId: 'compareImages',
    summary: 'Compare an image with its original',
    description: [
      'Send an original and an image by any encoder, and get the score that this service would state of it. The original is turned upright and scaled down to the size of the image, then both are compared as results are compared with their uploads.',
      'Crops, animations, and images with different colour profiles cannot be compared: 422 `cannot_compare`. A comparison counts as one image.',
    ].join('\n\n'),
    parameters: optionParameters(settings).filter(({ name }) => name === OPTIONS.density.parameter),
    requestBody: formOf({
      original: `A ${UPLOADS.or} file.`,
      image: `A ${settings.resultFormats.recognisedOr} file of the same picture, at most as large.`,
    }),
    responses: {
      200: {
        description: 'The comparison.',
        headers: headers(limits.imagesPerMinute > 0 ? RATE_LIMIT_HEADERS : []),
        content: { 'application/json': { schema: SCHEMA, example: EXAMPLE } },
      },
    },
    problems: [cannotCompare('other-colours')],
    sample: {
      method: 'POST',
      path: '/api/v1/compare',
      needsKey: true,
      files: { original: 'photo.jpg', image: 'smaller.jpg' },
    },
  });
}
