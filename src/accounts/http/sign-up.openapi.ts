import type { OperationObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import {
  accountExists,
  emailInvalid,
  signupClosed,
  tooManySignups,
  noTrials,
} from '../../contract/account-problems';
import { codeSamples } from '../../contract/samples/code-samples';
import { problemResponses } from '../../contract/problem-responses';
import {
  accountStoreUnavailable,
  problemsOfAnyRequest,
  internalError,
  requestTimeout,
} from '../../contract/service-problems';
import type { AccountsSettings } from '../accounts.settings';
import type { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import { jsonResponse, signUpBody } from './account-schemas';

export type Limits = Pick<RateLimitSettings, 'accountRequestsPerMinute' | 'signupsPerHour'>;

export const REQUEST_ID = { $ref: '#/components/parameters/RequestId' };

const SIGN_UP_SCHEMA = z.toJSONSchema(signUpBody, { io: 'input' }) as SchemaObject;
const EXAMPLE_SIGN_UP = { email: 'you@example.com' };

/** Returns the OpenAPI operation of `POST /api/v1/accounts`. */
export function signUpOperation(
  { signup: { mode } }: AccountsSettings,
  { signupsPerHour }: Limits,
): OperationObject {
  const modes = {
    open: 'Sign-up is open.',
    invite: 'Sign-up needs an invitation: send its code as `code`.',
    closed: 'Sign-up is closed; the operator creates accounts.',
  };
  return {
    operationId: 'signUp',
    tags: ['Accounts'],
    summary: 'Create an account',
    description: `Creates an account and its first key. ${modes[mode]}${signupsPerHour > 0 ? ` An IP address may create ${signupsPerHour} accounts and trials per hour.` : ''}`,
    security: [],
    parameters: [REQUEST_ID],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: SIGN_UP_SCHEMA,
          example: EXAMPLE_SIGN_UP,
        },
      },
    },
    responses: {
      201: jsonResponse('The new account and its first key.', 'IssuedKey'),
      ...problemResponses([
        ...problemsOfAnyRequest(),
        tooManySignups(signupsPerHour, 1800),
        requestTimeout(),
        emailInvalid(),
        signupClosed(),
        accountExists(),
        accountStoreUnavailable(),
        internalError(),
      ]),
    },
    'x-codeSamples': codeSamples({
      method: 'POST',
      path: '/api/v1/accounts',
      needsKey: false,
      json: EXAMPLE_SIGN_UP,
    }),
  };
}

/** Returns the OpenAPI operation of `POST /api/v1/trials`. */
export function openTrialOperation(
  { signup: { mode, trialImages } }: AccountsSettings,
  { signupsPerHour }: Limits,
): OperationObject {
  const isOpen = mode === 'open' && trialImages > 0;
  const terms = `It is valid for a day and ${trialImages} images; only images that are returned count.`;
  return {
    operationId: 'openTrial',
    tags: ['Accounts'],
    summary: 'Create a trial account',
    description: `Creates an account without an e-mail address, and its key. ${isOpen ? terms : 'This service offers no trials.'}${signupsPerHour > 0 ? ` An IP address may create ${signupsPerHour} accounts and trials per hour.` : ''}`,
    security: [],
    parameters: [REQUEST_ID],
    responses: {
      201: jsonResponse('The new trial account and its key.', 'IssuedTrial'),
      ...problemResponses([
        ...problemsOfAnyRequest(),
        tooManySignups(signupsPerHour, 1800),
        noTrials(),
        accountStoreUnavailable(),
        internalError(),
      ]),
    },
    'x-codeSamples': codeSamples({ method: 'POST', path: '/api/v1/trials', needsKey: false }),
  };
}
