/** Problems that nginx sends itself, for a request that reaches no replica. config/proxy/nginx.conf is generated from them. */
import { Problem } from './problem';
import { methodNotAllowed, noSuchAddress, headersTooLarge, requestTimeout } from './service-problems';

/** Requests in progress from one address: `limit_conn` of nginx.conf. */
const REQUESTS_AT_ONCE = 64;

export interface ProxyProblem {
  /** Statuses of nginx, its own (494) included, that stand for the problem. */
  readonly statuses: readonly number[];
  readonly problem: Problem;
  /** Occurs before the URL of the request is known, so that nginx needs a URL for the response. */
  readonly isBeforeUrl?: boolean;
}

export const PROXY_PROBLEMS: readonly ProxyProblem[] = [
  {
    // 501 and 505: a transfer coding or a version of HTTP that nginx does not support.
    statuses: [400, 411, 412, 416, 417, 421, 501, 505],
    problem: new Problem('invalid_request', 'This is not valid HTTP/1.1.'),
    isBeforeUrl: true,
  },
  { statuses: [404], problem: noSuchAddress() },
  // nginx replaces its variable with the method.
  { statuses: [405], problem: methodNotAllowed('$request_method', ['GET', 'HEAD', 'POST', 'DELETE']) },
  { statuses: [408], problem: requestTimeout() },
  {
    statuses: [413],
    problem: new Problem(
      'image_too_large',
      'The request is larger than this service accepts; send a smaller image.',
    ),
  },
  { statuses: [414, 494], problem: headersTooLarge(), isBeforeUrl: true },
  {
    statuses: [429],
    problem: new Problem(
      'rate_limited',
      `An IP address may have ${REQUESTS_AT_ONCE} requests in progress; try again when one of them has finished.`,
      { limit: REQUESTS_AT_ONCE, retryAfter: 1 },
    ),
  },
  {
    statuses: [500, 502, 503, 504],
    problem: new Problem(
      'dependency_unavailable',
      'No instance of the service is available; try again shortly.',
      { retryAfter: 5 },
    ),
  },
];
