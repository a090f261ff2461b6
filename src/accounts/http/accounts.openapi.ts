import type { OperationObject, ParameterObject, PathsObject } from 'openapi3-ts/oas31';
import * as problem from '../../contract/account-problems';
import { documentedOperation, type DocumentedOperation } from '../../contract/documented-operation';
import { headers } from '../../contract/headers';
import { accountStoreUnavailable, malformedRequest, requestTimeout } from '../../contract/service-problems';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { AccountsSettings } from '../accounts.settings';
import { MAX_ACTIVE_KEYS } from '../domain/account';
import { jsonResponse, jsonSchemaOf, signUpBody } from './account-schemas';

const AFTER = queryParameter('after', 'The value of `next` from the previous page.');

export function accountPaths(settings: AccountsSettings, limits: RateLimitSettings): PathsObject {
  const withKey = describedWithKey(settings, limits);
  return {
    '/api/v1/accounts': { post: signUpOperation(settings, limits) },
    '/api/v1/trials': { post: openTrialOperation(settings, limits) },
    '/api/v1/account': {
      get: withKey('GET', '/api/v1/account', {
        operationId: 'getAccount',
        summary: 'Get the account and its usage',
        responses: { 200: jsonResponse('The account that the key belongs to.', 'Account') },
      }),
    },
    '/api/v1/account/keys': {
      get: withKey('GET', '/api/v1/account/keys', {
        operationId: 'listKeys',
        summary: 'List API keys',
        description:
          'Lists active keys and the newest revoked ones, oldest first. The text of a key is not part of the list.',
        parameters: [AFTER],
        responses: { 200: jsonResponse('A page of keys.', 'KeyList') },
        problems: [problem.invalidCursor()],
      }),
      post: withKey('POST', '/api/v1/account/keys', {
        operationId: 'createKey',
        summary: 'Create an API key',
        description: `To rotate a key, create a new one, switch your clients to it, then revoke the old one. An account can have ${MAX_ACTIVE_KEYS} active keys.`,
        responses: { 201: jsonResponse('The new key.', 'IssuedKey') },
        problems: [problem.keysConfigured(), problem.tooManyKeys(MAX_ACTIVE_KEYS)],
      }),
    },
    '/api/v1/account/keys/{id}': {
      delete: withKey('DELETE', '/api/v1/account/keys/KEY_ID', {
        operationId: 'revokeKey',
        summary: 'Revoke an API key',
        description: 'The key stops working at once, on every replica. A key may revoke itself.',
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'The `keyId` of an active key of this account.',
            schema: { type: 'string' },
          },
        ],
        responses: { 204: { description: 'Done.', headers: headers([]) } },
        problems: [malformedRequest(), problem.noSuchKey()],
      }),
    },
    '/api/v1/account/usage': { get: withKey('GET', '/api/v1/account/usage', usageOperation()) },
  };
}

type Described = Omit<DocumentedOperation, 'sample'>;

function describedWithKey({ needsKey }: AccountsSettings, { accountRequestsPerMinute }: RateLimitSettings) {
  const problems = [
    ...(needsKey ? problem.credentialProblems() : []),
    problem.tooManyAccountRequests(accountRequestsPerMinute, 42),
    accountStoreUnavailable(),
  ];
  return (method: 'GET' | 'POST' | 'DELETE', path: string, operation: Described): OperationObject =>
    documentedOperation({
      ...operation,
      tags: ['Accounts'],
      sample: { method, path, needsKey },
      problems: [...problems, ...(operation.problems ?? [])],
    });
}

function signUpOperation(
  { signup: { mode } }: AccountsSettings,
  { signupsPerHour }: RateLimitSettings,
): OperationObject {
  const example = { email: 'you@example.com' };
  const schema = jsonSchemaOf(signUpBody);
  return documentedOperation({
    operationId: 'signUp',
    tags: ['Accounts'],
    summary: 'Create an account',
    description: `Creates an account and its first key. ${mode === 'open' ? 'Sign-up is open.' : 'Sign-up is closed; the operator creates accounts.'}${perAddress(signupsPerHour)}`,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { 201: jsonResponse('The new account and its first key.', 'IssuedKey') },
    problems: [
      problem.tooManySignups(signupsPerHour, 1800),
      requestTimeout(),
      problem.emailInvalid(),
      problem.signupClosed(),
      problem.accountExists(),
      accountStoreUnavailable(),
    ],
    sample: { method: 'POST', path: '/api/v1/accounts', needsKey: false, json: example },
  });
}

function openTrialOperation(
  { signup: { mode, trialImages } }: AccountsSettings,
  { signupsPerHour }: RateLimitSettings,
): OperationObject {
  const isOpen = mode === 'open' && trialImages > 0;
  const terms = `It is valid for a day and ${trialImages} images; an image counts once a worker has taken it.`;
  return documentedOperation({
    operationId: 'openTrial',
    tags: ['Accounts'],
    summary: 'Create a trial account',
    description: `Creates an account without an e-mail address, and its key. ${isOpen ? terms : 'This service offers no trials.'}${perAddress(signupsPerHour)}`,
    responses: { 201: jsonResponse('The new trial account and its key.', 'IssuedTrial') },
    problems: [problem.tooManySignups(signupsPerHour, 1800), problem.noTrials(), accountStoreUnavailable()],
    sample: { method: 'POST', path: '/api/v1/trials', needsKey: false },
  });
}

function perAddress(signupsPerHour: number): string {
  return signupsPerHour > 0
    ? ` An IP address may create ${signupsPerHour} accounts and trials per hour.`
    : '';
}

function usageOperation(): Described {
  const month = '^2\\d{3}-(0[1-9]|1[0-2])$';
  return {
    operationId: 'listUsage',
    summary: 'List usage by month and key',
    description:
      'Months are calendar months in UTC. Other replicas may hold back the usage of their last second.',
    parameters: [
      queryParameter('from', 'The first month; by default, 11 months before `to`.', month),
      queryParameter('to', 'The last month; by default, the current one.', month),
      AFTER,
    ],
    responses: { 200: jsonResponse('A page of usage.', 'UsageList') },
    problems: [problem.invalidMonth('from')],
  };
}

function queryParameter(name: string, description: string, pattern?: string): ParameterObject {
  return { name, in: 'query', description, schema: { type: 'string', ...(pattern ? { pattern } : {}) } };
}
