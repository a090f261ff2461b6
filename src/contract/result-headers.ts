/** Headers that a result has on occasion: whether it fits, and what it could be. */
import type { HeaderObject } from 'openapi3-ts/oas31';
import { BUDGET_OUTCOMES } from './report-words';

export const RESULT_HEADERS = {
  'X-Budget': {
    description: `With \`max_bytes\`: ${Object.entries(BUDGET_OUTCOMES)
      .map(([outcome, words]) => `\`${outcome}\` (${words})`)
      .join(', ')}.`,
    schema: { type: 'string', enum: Object.keys(BUDGET_OUTCOMES) },
    example: 'met',
  },
  'X-JPEG-Estimate': {
    description:
      'Of an opaque PNG that shows a photo: bytes that it would take as a JPG of the same quality, estimated. Absent unless that is much smaller. The service never converts it.',
    schema: { type: 'integer', minimum: 1 },
    example: 182000,
  },
} as const satisfies Record<string, HeaderObject>;
