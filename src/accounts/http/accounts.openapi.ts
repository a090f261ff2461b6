/**
 * The operations of accounts for the OpenAPI document, with the limits of this deployment. Each lists every
 * problem that it can return: a test replays the responses and refuses undocumented ones.
 */
import type { ParameterObject, PathsObject } from 'openapi3-ts/oas31';
import * as problem from '../../contract/account-problems';
import { documentedPaths, jsonResponse, toJsonSchemas } from '../../contract/documented-operation';
import { headers } from '../../contract/headers';
import { accountStoreUnavailable, malformedRequest, requestTimeout } from '../../contract/service-problems';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import type { AccountsSettings } from '../accounts.settings';
import { MAX_ACTIVE_KEYS } from '../domain/account';
import { MONTH_PATTERN } from '../domain/usage';
import { SIGN_UP_EXAMPLE, signUpBody } from './account-schemas';

const tags = ['Accounts'];
const MONTH = { pattern: MONTH_PATTERN.source };

export function accountPaths(
  { needsKey, signup: { mode, trialImages } }: AccountsSettings,
  { signupsPerHour, accountRequestsPerMinute }: RateLimitSettings,
): PathsObject {
  const isTrialOpen = mode === 'open' && trialImages > 0;
  const perAddress =
    signupsPerHour > 0 ? ` An IP address may create ${signupsPerHour} accounts and trials per hour.` : '';
  const whileCreating = [problem.tooManySignups(signupsPerHour, 1800), accountStoreUnavailable()];
  const { signUpBody: schema } = toJsonSchemas({ signUpBody });
  const withKey = [
    ...(needsKey ? problem.credentialProblems() : []),
    problem.tooManyAccountRequests(accountRequestsPerMinute, 42),
    accountStoreUnavailable(),
  ];
  return {
    ...documentedPaths(
      { tags, problems: whileCreating },
      {
        'POST /api/v1/accounts': {
          operationId: 'signUp',
          summary: 'Create an account',
          description: `Creates an account and its first key. ${mode === 'open' ? 'Sign-up is open.' : 'Sign-up is closed; the operator creates accounts.'}${perAddress}`,
          body: { 'application/json': { schema, example: SIGN_UP_EXAMPLE } },
          responses: { 201: jsonResponse('The new account and its first key.', 'IssuedKey') },
          problems: [
            requestTimeout(),
            problem.emailInvalid(),
            problem.signupClosed(),
            problem.accountExists(),
          ],
        },
        'POST /api/v1/trials': {
          operationId: 'openTrial',
          summary: 'Create a trial account',
          description: `Creates an account without an e-mail address, and its key. ${isTrialOpen ? `It is valid for a day and ${trialImages} images; an image counts once a worker has taken it.` : 'This service offers no trials.'}${perAddress}`,
          responses: { 201: jsonResponse('The new trial account and its key.', 'IssuedTrial') },
          problems: [problem.noTrials()],
        },
      },
    ),
    ...documentedPaths(
      { tags, needsKey, problems: withKey },
      {
        'GET /api/v1/account': {
          operationId: 'getAccount',
          summary: 'Get the account and its usage',
          responses: { 200: jsonResponse('The account that the key belongs to.', 'Account') },
        },
        'GET /api/v1/account/keys': {
          operationId: 'listKeys',
          summary: 'List API keys',
          description:
            'Lists active keys and the newest revoked ones, oldest first. The text of a key is not part of the list.',
          parameters: [AFTER],
          responses: { 200: jsonResponse('A page of keys.', 'KeyList') },
          problems: [problem.invalidCursor()],
        },
        'POST /api/v1/account/keys': {
          operationId: 'createKey',
          summary: 'Create an API key',
          description: `To rotate a key, create a new one, switch your clients to it, then revoke the old one. An account can have ${MAX_ACTIVE_KEYS} active keys.`,
          responses: { 201: jsonResponse('The new key.', 'IssuedKey') },
          problems: [problem.keysConfigured(), problem.tooManyKeys(MAX_ACTIVE_KEYS)],
        },
        'DELETE /api/v1/account/keys/{id}': {
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
        },
        'GET /api/v1/account/usage': {
          operationId: 'listUsage',
          summary: 'List usage by month and key',
          description:
            'Months are calendar months in UTC. Other replicas may hold back the usage of their last second.',
          parameters: [
            query('from', 'The first month; by default, 11 months before `to`.', MONTH),
            query('to', 'The last month; by default, the current one.', MONTH),
            AFTER,
          ],
          responses: { 200: jsonResponse('A page of usage.', 'UsageList') },
          problems: [problem.invalidMonth('from')],
        },
      },
    ),
  };
}

function query(name: string, description: string, form: { readonly pattern?: string } = {}): ParameterObject {
  return { name, in: 'query', description, schema: { type: 'string', ...form } };
}

/** The cursor of both lists. */
const AFTER = query('after', 'The value of `next` from the previous page.');
