/**
 * The HTTP contract as OpenAPI 3.1, with the limits of this deployment. The tests replay it: what is documented here
 * can be produced, and what the service answers anywhere in the tests is documented here.
 *
 * To add something: a problem code gets its example in problem-responses.ts (it does not compile without) and its
 * place in the operations that answer with it; a header is described in headers.ts and named where it is sent.
 */
import type { ComponentsObject, OpenAPIObject } from 'openapi3-ts/oas31';
import type { Settings } from '../../settings/settings';
import { VERSION } from '../version';
import { ACCOUNT_SCHEMAS, accountPaths } from './account-operations';
import { compressOperation } from './compress-operation';
import { problemResponses, problemSchema } from './problem-responses';
import { HEALTH_SCHEMA, INDICATORS_SCHEMA, servicePaths } from './service-operations';

export function describeService(settings: Settings): OpenAPIObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image compression service',
      version: VERSION,
      description: [
        'A JPG or PNG goes in, a smaller image that looks the same comes out, and the score is checked on the bytes that are delivered.',
        'Every error, whatever its cause, is `application/problem+json` (RFC 9457) with a stable `code`. Programs go by the code; people read the detail.',
        'The same bytes in give the same bytes out.',
      ].join('\n\n'),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The service that this document comes from.' }],
    tags: [
      { name: 'Compression', description: 'The operation.' },
      {
        name: 'Accounts',
        description: 'Keys are obtained by signing up. The rate limit belongs to the account.',
      },
      { name: 'Probes', description: 'For orchestrators, in the shape of Terminus.' },
      { name: 'Documentation', description: 'What you are reading.' },
    ],
    paths: {
      '/api/v1/compress': { post: compressOperation(settings) },
      ...accountPaths(settings),
      ...servicePaths(settings),
    },
    // OpenAPI has no place for answers that belong to no operation.
    'x-other-answers': problemResponses(
      settings,
      ['invalid_request', 'not_found', 'method_not_allowed'],
      ['Link'],
    ),
    components: components(settings),
  };
}

function components(settings: Settings): ComponentsObject {
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'ics_ and 33 characters',
        description: '`Authorization: Bearer <API_KEY>`; the name of the scheme is case-insensitive.',
      },
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: '`X-API-Key: <API_KEY>`. Both headers may be sent when they carry the same key.',
      },
    },
    parameters: {
      RequestId: {
        name: 'X-Request-Id',
        in: 'header',
        description:
          'Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.',
        schema: { type: 'string' },
        example: 'checkout-7f3a',
      },
    },
    schemas: {
      Problem: problemSchema(settings),
      ...ACCOUNT_SCHEMAS,
      Health: HEALTH_SCHEMA,
      Indicators: INDICATORS_SCHEMA,
    },
  };
}
