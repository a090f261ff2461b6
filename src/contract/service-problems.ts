/**
 * Problems that concern neither the image nor the account: HTTP itself, unknown addresses, a busy or stopping
 * service.
 */
import { fixedProblem, Problem } from './problem';

/** Retry-After of a busy or recovering service, in seconds. */
const RETRY_AFTER_S = 5;
/** Retry-After, in seconds, if another instance can take over at once. */
const RETRY_ELSEWHERE_S = 1;

export const notHttp = fixedProblem('invalid_request', 'The bytes sent are not an HTTP request.');

export const missingHost = fixedProblem(
  'invalid_request',
  'The request has no Host header, which HTTP/1.1 requires.',
);

export const invalidHost = fixedProblem(
  'invalid_request',
  'The request has several Host headers, or one that names no host.',
);

export const foreignName = fixedProblem(
  'cross_site',
  'This service listens on a loopback address, so it answers under names such as localhost only. ' +
    'Behind a proxy, its operator sets TRUST_PROXY.',
  { title: 'The request names another host' },
);

export const crossSite = fixedProblem(
  'cross_site',
  'A page of another site sent this request; the operator of this service can allow its origin in CORS_ORIGINS.',
);

export const malformedRequest = fixedProblem(
  'invalid_request',
  'The request or its JSON body is malformed, or too large.',
);

export const headersTooLarge = fixedProblem('headers_too_large', 'The request headers are too large.');

/** What any request may get, before it reaches a route. */
export const problemsOfAnyRequest = () => [missingHost(), invalidHost(), headersTooLarge()];

export const requestTimeout = fixedProblem(
  'request_timeout',
  'The request did not arrive within the time limit.',
);

export const noSuchAddress = (
  instead = 'Images go to POST /api/v1/compress; GET /docs lists all operations.',
) => new Problem('not_found', `This URL does not exist. ${instead}`);

export const noSuchPageFile = fixedProblem('not_found', 'The page has no such file; reload it.');

export const methodNotAllowed = (method: string, allow: readonly string[]) =>
  new Problem('method_not_allowed', `${method} is not allowed here; use ${allow.join(' or ')}.`, { allow });

export const internalError = fixedProblem(
  'internal_error',
  'The error was logged with this request id; a retry may help.',
);

export const overloaded = (retryAfter = RETRY_AFTER_S) =>
  new Problem(
    'overloaded',
    `The service is full; send the image again in ${retryAfter} s, and fewer images at once.`,
    { retryAfter },
  );

export const deadlineExceeded = (retryAfter = RETRY_AFTER_S) =>
  new Problem(
    'deadline_exceeded',
    `The image was not compressed in time; send it again in ${retryAfter} s, or a smaller one.`,
    { retryAfter },
  );

export const draining = fixedProblem(
  'draining',
  'This instance is shutting down; send the image again, to another one.',
  {
    retryAfter: RETRY_ELSEWHERE_S,
  },
);

export const workerLost = fixedProblem(
  'dependency_unavailable',
  'The process that compressed this image ended unexpectedly; try again.',
  {
    retryAfter: RETRY_ELSEWHERE_S,
  },
);

export const accountStoreUnavailable = fixedProblem(
  'dependency_unavailable',
  'The account database is unavailable; try again shortly.',
  {
    retryAfter: RETRY_AFTER_S,
  },
);
