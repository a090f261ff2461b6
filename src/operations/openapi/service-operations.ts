import type { PathsObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Settings } from '../../settings/settings';
import type { ProblemCode } from '../problem';
import { headers } from './headers';
import { problemResponses } from './problem-responses';

const ANY: readonly ProblemCode[] = ['headers_too_large', 'internal_error'];

/** The shape of Terminus. */
export const HEALTH_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['status', 'details'],
  properties: {
    status: { type: 'string', enum: ['ok', 'error', 'shutting_down'] },
    info: { $ref: '#/components/schemas/Indicators', description: 'What is well.' },
    error: { $ref: '#/components/schemas/Indicators', description: 'What is not.' },
    details: { $ref: '#/components/schemas/Indicators', description: 'Both.' },
  },
};

export const INDICATORS_SCHEMA: SchemaObject = {
  type: 'object',
  description: 'By name: `database`, `compression`, `lifecycle`.',
  additionalProperties: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['up', 'down'] } },
    additionalProperties: true,
  },
};

/** What orchestrators and readers ask of the service itself; no key is needed. */
export function servicePaths(settings: Settings): PathsObject {
  const open = (
    tag: string,
    operationId: string,
    summary: string,
    responses: Record<number, ResponseObject>,
  ) => ({
    get: {
      operationId,
      tags: [tag],
      summary,
      security: [],
      parameters: [{ $ref: '#/components/parameters/RequestId' }],
      responses: { ...responses, ...problemResponses(settings, ANY) },
    },
  });
  return {
    '/health/live': open('Probes', 'isLive', 'Is the process alive?', {
      200: health('The event loop answers; nothing else is asked.'),
    }),
    '/health/ready': open('Probes', 'isReady', 'Should it get traffic?', {
      200: health('The database answers, workers are ready, and the service is not stopping.'),
      503: health('One of these does not hold.'),
    }),
    '/openapi.json': open('Documentation', 'getDescription', 'This document', {
      200: {
        description: 'OpenAPI 3.1, with the limits of this deployment.',
        headers: headers([]),
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    }),
    '/docs': open('Documentation', 'getDocumentation', 'This document as a page', {
      200: {
        description: 'The same to read: no script, nothing from elsewhere.',
        headers: headers(['Content-Security-Policy', 'X-Content-Type-Options']),
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    }),
  };
}

function health(description: string): ResponseObject {
  return {
    description,
    headers: headers([]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } },
  };
}
