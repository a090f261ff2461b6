import type { PathsObject, SchemaObject } from 'openapi3-ts/oas31';
import { documentedPaths, jsonResponse } from '../contract/documented-operation';

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
