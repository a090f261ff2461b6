import type { PathsObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { documentedPaths } from '../contract/documented-operation';
import { headers } from '../contract/headers';

export const HEALTH_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['status', 'details'],
  properties: {
    status: { type: 'string', enum: ['ok', 'error', 'shutting_down'] },
    info: { $ref: '#/components/schemas/Indicators', description: 'The indicators that are up.' },
    error: { $ref: '#/components/schemas/Indicators', description: 'The indicators that are down.' },
    details: { $ref: '#/components/schemas/Indicators', description: 'All indicators.' },
  },
};

export const INDICATORS_SCHEMA: SchemaObject = {
  type: 'object',
  description: 'Indicators by name: `database`, `compression`, `rate_limits`, `lifecycle`.',
  additionalProperties: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['up', 'down'] } },
    additionalProperties: true,
  },
};

export function healthPaths(): PathsObject {
  return documentedPaths(
    { tags: ['Probes'] },
    {
      'GET /health/live': {
        operationId: 'isLive',
        summary: 'Check liveness',
        responses: { 200: health('The event loop responds; nothing else is checked.') },
      },
      'GET /health/ready': {
        operationId: 'isReady',
        summary: 'Check readiness',
        responses: {
          200: health('The database responds, workers are ready, and the process is not shutting down.'),
          503: health('One of these conditions is not met.'),
        },
      },
    },
  );
}

function health(description: string): ResponseObject {
  return {
    description,
    headers: headers([]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } },
  };
}
