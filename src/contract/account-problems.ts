/**
 * Problems of credentials, accounts and rate limits, one function each: its sentence says what is wrong and
 * what the client can do. The code decides the status (problem.ts).
 */
import { fixedProblem, Problem } from './problem';

/** @param offersSignup whether clients may create accounts */
export const missingApiKey = (offersSignup = true) => {
  const source = offersSignup
    ? 'POST /api/v1/accounts creates one'
    : 'the operator of this service creates them';
  return new Problem(
    'missing_api_key',
    `Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"; ${source}.`,
  );
};

export const malformedAuthorization = fixedProblem(
  'invalid_api_key',
  'The Authorization header must be "Bearer", a space and the API key.',
);

export const malformedApiKey = fixedProblem(
  'invalid_api_key',
  'The API key is malformed; check that you copied all of it.',
);

export const unknownApiKey = fixedProblem(
  'invalid_api_key',
  'This API key is unknown or has been revoked; use another one.',
);

export const conflictingCredentials = fixedProblem(
  'conflicting_credentials',
  'The request headers contain different API keys; send only one.',
);

export const accountSuspended = fixedProblem(
  'account_suspended',
  'This account is suspended; contact the operator of this service.',
);

export const trialExpired = fixedProblem('trial_expired', 'This trial has expired; sign up for an account.');

export const trialUsedUp = fixedProblem(
  'trial_used_up',
  'All images of this trial are used; sign up for an account.',
);

/** Those of a request with a key, one of each code. */
export const credentialProblems = () => [
  conflictingCredentials(),
  missingApiKey(),
  unknownApiKey(),
  trialExpired(),
  accountSuspended(),
];

export const invalidMonth = (parameter: string) =>
  new Problem('invalid_request', `The parameter "${parameter}" must be a month such as 2026-11.`);

export const reversedMonths = fixedProblem(
  'invalid_request',
  'The parameter "from" must not be later than "to", which is the current month by default.',
);

export const noTrials = fixedProblem(
  'signup_closed',
  'This service offers no trials; use an API key of an account.',
  {
    title: 'Trials are not offered',
  },
);

export const signupClosed = fixedProblem(
  'signup_closed',
  'Only the operator of this service creates accounts.',
);

export const keysConfigured = fixedProblem(
  'signup_closed',
  'Only the operator of this service adds keys to this account.',
  {
    title: 'Keys are configured',
  },
);

export const emailMissing = fixedProblem(
  'invalid_request',
  'Send an e-mail address as JSON, with "Content-Type: application/json": {"email": "you@example.com"}.',
);

export const emailInvalid = fixedProblem(
  'invalid_request',
  'The value of "email" is not a valid e-mail address.',
);

export const accountExists = fixedProblem(
  'account_exists',
  'An account with this e-mail address already exists; use one of its keys.',
);

export const accountNotFound = fixedProblem('not_found', 'The account no longer exists.');

export const noSuchKey = fixedProblem('not_found', 'This account has no active key with this id.');

export const tooManyKeys = (limit: number) =>
  new Problem('too_many_keys', `The account already has ${limit} active keys; revoke one first.`, { limit });

export const invalidCursor = fixedProblem(
  'invalid_request',
  'The parameter "after" must be the value of "next" from the previous page.',
);

/** @param purpose of the requests that an account has sent too often */
const tooMany = (purpose: string) => (limit: number, waitSeconds: number) =>
  rateLimited(
    `This account may send ${limit} requests per minute ${purpose}; try again in ${waitSeconds} s.`,
    waitSeconds,
    limit,
  );

/** Both take the seconds until the next request is accepted. */
export const tooManyImages = tooMany('to compress images, refused ones included');
export const tooManyAccountRequests = tooMany('to manage its keys');

export const tooManySignups = (limit: number, waitSeconds: number) =>
  rateLimited(
    `An IP address may create ${limit} accounts and trials per hour; try again later.`,
    waitSeconds,
    limit,
  );

export const trialNotAsJson = fixedProblem(
  'invalid_request',
  'From a browser, send Content-Type: application/json.',
);

export const tooManyUnknownKeys = (waitSeconds: number) =>
  rateLimited(`Too many requests with unknown API keys; try again in ${waitSeconds} s.`, waitSeconds);

/** @param retryAfter in seconds; also sent as Retry-After */
function rateLimited(detail: string, retryAfter: number, limit?: number) {
  return new Problem('rate_limited', detail, { retryAfter, limit });
}
