import type { OperationObject, ParameterObject, PathsObject } from 'openapi3-ts/oas31';
import {
  accountSuspended,
  conflictingCredentials,
  invalidCursor,
  invalidMonth,
  missingApiKey,
  noSuchKey,
  tooManyAccountRequests,
  tooManyKeys,
  trialExpired,
  unknownApiKey,
} from '../../contract/account-problems';
import { codeSamples } from '../../contract/samples/code-samples';
import type { SampledOperation } from '../../contract/samples/sampled-operation';
import { headers } from '../../contract/headers';
import type { Problem } from '../../contract/problem';
import { problemResponses } from '../../contract/problem-responses';
import {
  accountStoreUnavailable,
  problemsOfAnyRequest,
  internalError,
  malformedRequest,
} from '../../contract/service-problems';
import type { AccountsSettings } from '../accounts.settings';
import { MAX_ACTIVE_KEYS } from '../domain/account';
import { csvLine } from '../domain/usage';
import { ACCOUNT_EXAMPLES, jsonResponse } from './account-schemas';
import { openTrialOperation, REQUEST_ID, signUpOperation, type Limits } from './sign-up.openapi';

/** Returns the problems of every operation that needs an API key. */
function problemsWithKey({ accountRequestsPerMinute }: Limits): Problem[] {
  return [
    ...problemsOfAnyRequest(),
    conflictingCredentials(),
    missingApiKey(),
    unknownApiKey(),
    trialExpired(),
    accountSuspended(),
    tooManyAccountRequests(accountRequestsPerMinute, 42),
    accountStoreUnavailable(),
    internalError(),
  ];
}

/** Returns the operations that create and read an account and manage its keys. */
export function accountPaths(settings: AccountsSettings, limits: Limits): PathsObject {
  return {
    '/api/v1/accounts': { post: signUpOperation(settings, limits) },
    '/api/v1/trials': { post: openTrialOperation(settings, limits) },
    '/api/v1/account': {
      get: withKey(limits, ['GET', '/api/v1/account'], {
        operationId: 'getAccount',
        summary: 'Get the account and its usage',
        responses: { 200: jsonResponse('The account that the key belongs to.', 'Account') },
      }),
    },
    ...keyPaths(limits),
    '/api/v1/account/usage': { get: usageOperation(limits) },
  };
}

function usageOperation(limits: Limits): OperationObject {
  const month = (name: string, description: string): ParameterObject => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string', pattern: '^2\\d{3}-(0[1-9]|1[0-2])$' },
  });
  const { description, headers: always, content } = jsonResponse('A page of usage.', 'UsageList');
  const { usage } = ACCOUNT_EXAMPLES.UsageList;
  const csv = [Object.keys(usage[0]), ...usage.map(Object.values<string | number>)].map(csvLine).join('');
  return withKey(
    limits,
    ['GET', '/api/v1/account/usage'],
    {
      operationId: 'listUsage',
      summary: 'List usage by month and key',
      description:
        'Months are calendar months in UTC. With `Accept: text/csv` the response is CSV, and `Link` names the next page. Other replicas may hold back the usage of their last second.',
      parameters: [
        REQUEST_ID,
        month('from', 'The first month; by default, 11 months before `to`.'),
        month('to', 'The last month; by default, the current one.'),
        AFTER,
      ],
      responses: {
        200: {
          description,
          headers: { ...always, ...headers(['Vary'], ['Link']) },
          content: { ...content, 'text/csv': { schema: { type: 'string' }, example: csv } },
        },
      },
    },
    [invalidMonth('from')],
  );
}

const AFTER: ParameterObject = {
  name: 'after',
  in: 'query',
  description: 'The value of `next` from the previous page.',
  schema: { type: 'string' },
};

const KEY_ID: ParameterObject = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `keyId` of an active key of this account.',
  schema: { type: 'string' },
};

function keyPaths(limits: Limits): PathsObject {
  return {
    '/api/v1/account/keys': {
      get: withKey(
        limits,
        ['GET', '/api/v1/account/keys'],
        {
          operationId: 'listKeys',
          summary: 'List API keys',
          description:
            'Lists active keys and the newest revoked ones, oldest first. The text of a key is not part of the list.',
          parameters: [REQUEST_ID, AFTER],
          responses: { 200: jsonResponse('A page of keys.', 'KeyList') },
        },
        [invalidCursor()],
      ),
      post: withKey(
        limits,
        ['POST', '/api/v1/account/keys'],
        {
          operationId: 'createKey',
          summary: 'Create an API key',
          description: `To rotate a key, create a new one, switch your clients to it, then revoke the old one. An account can have ${MAX_ACTIVE_KEYS} active keys.`,
          responses: { 201: jsonResponse('The new key.', 'IssuedKey') },
        },
        [tooManyKeys(MAX_ACTIVE_KEYS)],
      ),
    },
    '/api/v1/account/keys/{id}': {
      delete: withKey(
        limits,
        ['DELETE', '/api/v1/account/keys/KEY_ID'],
        {
          operationId: 'revokeKey',
          summary: 'Revoke an API key',
          description: 'The key stops working at once, on every replica. A key may revoke itself.',
          parameters: [REQUEST_ID, KEY_ID],
          responses: { 204: { description: 'Done.', headers: headers([]) } },
        },
        [malformedRequest(), noSuchKey()],
      ),
    },
  };
}

function withKey(
  limits: Limits,
  [method, path]: readonly [SampledOperation['method'], string],
  operation: OperationObject,
  more: readonly Problem[] = [],
): OperationObject {
  return {
    tags: ['Accounts'],
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [REQUEST_ID],
    ...operation,
    'x-codeSamples': codeSamples({ method, path, needsKey: true }),
    responses: { ...operation.responses, ...problemResponses([...problemsWithKey(limits), ...more]) },
  };
}
