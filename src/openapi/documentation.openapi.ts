import type { PathsObject } from 'openapi3-ts/oas31';
import { headers } from '../contract/headers';
import { publicPath } from '../health/health.openapi';

/** The contract itself, for programs and for people; no key is needed. */
export function documentationPaths(): PathsObject {
  const tags = ['Documentation'];
  return {
    ...publicPath(
      '/openapi.json',
      { operationId: 'getDescription', tags, summary: 'Get the OpenAPI document' },
      {
        200: {
          description: 'OpenAPI 3.1, with the limits of this deployment.',
          headers: headers([]),
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      },
    ),
    ...publicPath(
      '/docs',
      { operationId: 'getDocumentation', tags, summary: 'Read the API reference' },
      {
        200: {
          description:
            'The document as a page: navigation, code samples, and requests to try with your key. It loads nothing from other hosts.',
          headers: headers(['Content-Security-Policy']),
          content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html> …' } },
        },
      },
    ),
  };
}
