/** Middleware for the paths of outputs and keys; runs before all others. */
import { trace } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from '../../http/request-body';
import { decodedPath } from '../../observability/logging';

/** Paths with a secret in their last part, and variants that clients may send: `//keys/KEY`, `/KEYS/KEY`, `/x/keys/KEY`. */
const SECRET = /\/(output|keys)\/+[^/]/i;
const ACCOUNT_ROUTE = /^\/api\/v1\/account\//i;

/** Keeps keys and ids, either of which allows a download, out of the log and the traces. */
export function hideSecrets(req: Request, res: Response, next: NextFunction): void {
  const secret = ACCOUNT_ROUTE.test(req.path) ? null : SECRET.exec(decodedPath(req.path));
  if (!secret) return next();
  const path = `/${secret[1].toLowerCase()}/...`;
  trace.getActiveSpan()?.setAttribute('url.path', path);
  // The log writes its line at the same event, after this.
  res.once('close', () => (req.context.logged['path'] = path));
  next();
}

/** The body of a client without commands: `{}`. */
const NO_COMMANDS_BYTES = 2;

/** Some clients send commands with GET and a body (Python, Ruby), others fetch with POST and `{}` (older ones for Java). */
export function separateCommandsFromFetches(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'GET' || req.method === 'POST') {
    const length = Number(req.headers['content-length'] ?? Infinity);
    req.method = hasBody(req) && length > NO_COMMANDS_BYTES ? 'POST' : 'GET';
  }
  next();
}
