import type { ResponseObject } from 'openapi3-ts/oas31';
import { headers } from '../../contract/headers';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import { ACCOUNT_EXAMPLES } from './account-schemas';

export type Limits = Pick<RateLimitSettings, 'accountRequestsPerMinute' | 'signupsPerHour'>;

export const REQUEST_ID = { $ref: '#/components/parameters/RequestId' };

export const jsonResponse = (description: string, schema: keyof typeof ACCOUNT_EXAMPLES): ResponseObject => ({
  description,
  headers: headers([]),
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      example: ACCOUNT_EXAMPLES[schema],
    },
  },
});
