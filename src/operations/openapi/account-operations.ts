import type { OperationObject, PathsObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Settings } from '../../settings/settings';
import type { ProblemCode } from '../problem';
import { headers } from './headers';
import { problemResponses } from './problem-responses';

/** What every operation with a key can answer. */
const WITH_A_KEY: readonly ProblemCode[] = [
  'conflicting_credentials',
  'missing_api_key',
  'invalid_api_key',
  'account_suspended',
  'headers_too_large',
  'internal_error',
  'dependency_unavailable',
];
const REQUEST_ID = { $ref: '#/components/parameters/RequestId' };

const id = (description: string): SchemaObject => ({ type: 'string', format: 'uuid', description });
const moment = (description: string): SchemaObject => ({ type: 'string', format: 'date-time', description });

export const ACCOUNT_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  IssuedKey: {
    type: 'object',
    description: 'A key at the moment of its making.',
    required: ['accountId', 'keyId', 'apiKey'],
    properties: {
      accountId: id('The account that the key belongs to.'),
      keyId: id('Names the key when it is to be revoked.'),
      apiKey: {
        type: 'string',
        pattern: '^ics_[0-9A-Za-z]{33}$',
        description: 'The key itself, shown this once: only its digest is stored.',
      },
    },
  },
  Account: {
    type: 'object',
    required: ['accountId', 'email', 'status', 'createdAt', 'usage'],
    properties: {
      accountId: id('The account.'),
      email: { type: 'string', format: 'email' },
      status: { type: 'string', enum: ['active', 'suspended'] },
      createdAt: moment('When the account was opened.'),
      usage: {
        type: 'object',
        required: ['images', 'bytesIn', 'bytesSaved'],
        properties: {
          images: { type: 'integer', minimum: 0, description: 'Images answered with 200.' },
          bytesIn: { type: 'integer', minimum: 0, description: 'Bytes of these images as uploaded.' },
          bytesSaved: { type: 'integer', minimum: 0, description: 'What was saved of them.' },
        },
      },
    },
  },
  KeyList: {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        items: {
          type: 'object',
          required: ['keyId', 'displayPrefix', 'createdAt', 'revokedAt'],
          properties: {
            keyId: id('The key.'),
            displayPrefix: { type: 'string', description: 'How the key begins, to tell keys apart.' },
            createdAt: moment('When the key was made.'),
            revokedAt: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'Null while it is live.',
            },
          },
        },
      },
    },
  },
};

const json = (description: string, schema: string): ResponseObject => ({
  description,
  headers: headers([]),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

/** Signing up, and looking after one's own account and keys. */
export function accountPaths(settings: Settings): PathsObject {
  const withKey = (
    operation: OperationObject,
    success: Record<number, ResponseObject>,
    more: readonly ProblemCode[] = [],
  ): OperationObject => ({
    tags: ['Accounts'],
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [REQUEST_ID],
    ...operation,
    responses: { ...success, ...problemResponses(settings, [...WITH_A_KEY, ...more]) },
  });
  return {
    '/api/v1/accounts': { post: signUp(settings) },
    '/api/v1/account': {
      get: withKey(
        { operationId: 'getAccount', summary: 'The account and its usage' },
        { 200: json('The account that the key belongs to.', 'Account') },
      ),
    },
    '/api/v1/account/keys': {
      get: withKey(
        { operationId: 'listKeys', summary: 'The keys of the account, without their text' },
        { 200: json('All keys, revoked ones included.', 'KeyList') },
      ),
      post: withKey(
        {
          operationId: 'createKey',
          summary: 'One more key',
          description: 'To replace a key without a gap: create a new one, switch over, revoke the old one.',
        },
        { 201: json('The new key.', 'IssuedKey') },
      ),
    },
    '/api/v1/account/keys/{id}': {
      delete: withKey(
        {
          operationId: 'revokeKey',
          summary: 'Revoke a key',
          description: 'The key is refused from then on, on every replica. A key may revoke itself.',
          parameters: [
            REQUEST_ID,
            {
              name: 'id',
              in: 'path',
              required: true,
              description: 'The `keyId` of a live key of this account.',
              schema: { type: 'string' },
            },
          ],
        },
        { 204: { description: 'Done.', headers: headers([]) } },
        ['invalid_request', 'not_found'],
      ),
    },
  };
}

function signUp(settings: Settings): OperationObject {
  const { mode, perHour } = settings.signup;
  const modes = {
    open: 'Sign-up is open to everybody.',
    invite: 'Sign-up is by invitation: `code` is needed.',
    closed: 'Sign-up is closed here: the operator opens accounts.',
  };
  return {
    operationId: 'signUp',
    tags: ['Accounts'],
    summary: 'Open an account',
    description: `Gives an account and its first key. ${modes[mode]}${perHour > 0 ? ` At most ${perHour} an hour from one address.` : ''}`,
    security: [],
    parameters: [REQUEST_ID],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['email'],
            properties: {
              email: { type: 'string', format: 'email', maxLength: 254 },
              code: { type: 'string', description: 'The invitation, where one is needed.' },
            },
          },
          example: { email: 'you@example.com' },
        },
      },
    },
    responses: {
      201: json('The account is open.', 'IssuedKey'),
      ...problemResponses(settings, [
        'invalid_request',
        'signup_closed',
        'request_timeout',
        'account_exists',
        'rate_limited',
        'headers_too_large',
        'internal_error',
        'dependency_unavailable',
      ]),
    },
    'x-codeSamples': [
      {
        lang: 'Shell',
        source: `curl -sS -H 'Content-Type: application/json' -d '{"email":"you@example.com"}' http://localhost:3000/api/v1/accounts`,
      },
    ],
  };
}
