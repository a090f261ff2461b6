/** The contract as OpenAPI 3.1, with the limits of this deployment. test/support/replay.ts replays it. */
import type * as api from 'openapi3-ts/oas31';
import { VERSION } from '../environment/version';
import { accountPaths } from '../accounts/http/accounts.openapi';
import { ACCOUNT_BODIES, SIGN_UP_EXAMPLE } from '../accounts/http/account-schemas';
import { compressPaths } from '../compression/http/compress.openapi';
import { documentedPaths, PROBLEM, problemResponses, toJsonSchemas } from '../contract/documented-operation';
import { headers } from '../contract/headers';
import { codeSamples, EXAMPLE_KEY, EXAMPLE_ORIGIN } from '../contract/samples';
import { methodNotAllowed, noSuchAddress, notHttp } from '../contract/service-problems';
import { HEALTH_BODIES, healthPaths } from '../health/health.openapi';
import type { AccountsSettings } from '../accounts/accounts.settings';
import type { CompressionSettings } from '../compression/compression.settings';
import type { RateLimitSettings } from '../rate-limit/rate-limit.settings';

export interface DocumentedSettings {
  readonly accounts: AccountsSettings;
  readonly compression: CompressionSettings;
  readonly rateLimit: RateLimitSettings;
}

export function describeService({ accounts, compression, rateLimit }: DocumentedSettings): api.OpenAPIObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image compression service',
      version: VERSION,
      description: [
        `Send a ${compression.acceptedFormats.uploads.or} and get a smaller image that looks the same. The service decodes and scores the bytes that it delivers. The same upload always gives the same result.`,
        '## Quick start',
        ...quickStart(accounts),
        '## Errors',
        'Every error is `application/problem+json` (RFC 9457) with a stable `code` for programs and a `detail` for people. Every response has an `X-Request-Id`: quote it when you report a problem.',
      ].join('\n\n'),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: [
      { name: 'Compression', description: 'Compress an image.' },
      {
        name: 'Accounts',
        description: 'Create an account to get an API key. All keys of an account share its rate limit.',
      },
      { name: 'Probes', description: 'For orchestrators and load balancers, in the format of Terminus.' },
      { name: 'Documentation', description: 'This contract, for programs and for people.' },
    ],
    paths: {
      ...compressPaths(compression, rateLimit, accounts.needsKey),
      ...accountPaths(accounts, rateLimit),
      ...healthPaths(),
      ...documentationPaths(),
    },
    // OpenAPI cannot list responses that belong to no operation.
    'x-other-responses': problemResponses(
      [notHttp(), noSuchAddress(), methodNotAllowed('GET', ['POST'])],
      ['Link'],
    ),
    components: {
      securitySchemes: accounts.needsKey ? SECURITY_SCHEMES : {},
      parameters: { RequestId: REQUEST_ID },
      schemas: toJsonSchemas({ Problem: PROBLEM, ...ACCOUNT_BODIES, ...HEALTH_BODIES }),
    },
  };
}

function quickStart({ signup, needsKey }: AccountsSettings) {
  const asShell = (command: string) => `\`\`\`sh\n${command}\n\`\`\``;
  const signUp = codeSamples('POST', '/api/v1/accounts', false, SIGN_UP_EXAMPLE).curl;
  const keyHeader = needsKey ? `-H "Authorization: Bearer ${EXAMPLE_KEY}" \\\n  ` : '';
  const image = `curl ${EXAMPLE_ORIGIN}/api/v1/compress \\\n  ${keyHeader}-F image=@photo.jpg -o smaller.jpg`;
  const account =
    signup.mode === 'open'
      ? `Create an account. The response contains your API key, which is shown only once.\n\n${asShell(signUp)}`
      : 'Ask the operator of this service for an API key.';
  const steps = [
    ...(needsKey ? [account] : []),
    `Send an image. The response is the smaller image.\n\n${asShell(image)}`,
    'Read the headers of the response: `X-Bytes-Saved` says how much was saved, `X-SSIM` how similar the result is.',
  ];
  return steps.map((step, i) => `${i + 1}. ${step}`);
}

function documentationPaths() {
  return documentedPaths(
    { tags: ['Documentation'] },
    {
      'GET /openapi.json': {
        operationId: 'getDescription',
        summary: 'Get the OpenAPI document',
        responses: {
          200: {
            description: 'OpenAPI 3.1, with the limits of this deployment.',
            headers: headers([]),
            content: { 'application/json': { schema: { type: 'object' } } },
          },
        },
      },
      'GET /docs': {
        operationId: 'getDocumentation',
        summary: 'Read the API reference',
        responses: {
          200: {
            description: 'The document as a page. It loads nothing from other hosts.',
            headers: headers(['Content-Security-Policy']),
            content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html> …' } },
          },
        },
      },
    },
  );
}

const SECURITY_SCHEMES: Readonly<Record<string, api.SecuritySchemeObject>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ics_ and 33 characters',
    description: '`Authorization: Bearer <API_KEY>`. The name of the scheme is case-insensitive.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: '`X-API-Key: <API_KEY>`. You may send both headers if they carry the same key.',
  },
};

const REQUEST_ID: api.ParameterObject = {
  name: 'X-Request-Id',
  in: 'header',
  description:
    'Your own id of the request: up to 128 letters, digits and `. _ : -`. The response echoes it, and the log contains it.',
  schema: { type: 'string' },
  // `x-disabled`: the page at /docs sends it only when the reader turns it on.
  examples: { default: { value: 'checkout-7f3a', 'x-disabled': true } },
};
