/** The probes in the OpenAPI document. Their bodies have the format of Terminus, which load balancers know. */
import type { PathsObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { documentedPaths, jsonResponse } from '../contract/documented-operation';

const indicators = z
  .record(z.string(), z.object({ status: z.enum(['up', 'down']) }).meta({ additionalProperties: true }))
  .describe('Indicators by name: `database`, `compression`, `rate_limits`, `lifecycle`.');

export const HEALTH_BODIES = {
  Health: z.object({
    status: z.enum(['ok', 'error', 'shutting_down']),
    info: indicators.describe('The indicators that are up.').optional(),
    error: indicators.describe('The indicators that are down.').optional(),
    details: indicators.describe('All indicators.'),
  }),
  Indicators: indicators,
};

export function healthPaths(): PathsObject {
  return documentedPaths(
    { tags: ['Probes'] },
    {
      'GET /health/live': {
        operationId: 'isLive',
        summary: 'Check liveness',
        responses: { 200: jsonResponse('The event loop responds; nothing else is checked.', 'Health') },
      },
      'GET /health/ready': {
        operationId: 'isReady',
        summary: 'Check readiness',
        responses: {
          200: jsonResponse(
            'The database responds, workers are ready, and the process is not shutting down.',
            'Health',
          ),
          503: jsonResponse('One of these conditions is not met.', 'Health'),
        },
      },
    },
  );
}
