/** Middleware for the paths of outputs and keys, before all other. */
import { trace } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from '../../http/unread-body';

/** Keeps keys, and ids that are enough for a download, out of the log and the traces. */
export function hideSecrets(req: Request, res: Response, next: NextFunction): void {
  const path = `${req.baseUrl}/...`;
  trace.getActiveSpan()?.setAttribute('url.path', path);
  // The log writes its line at the same event, after this.
  res.once('close', () => (req.context.logged['path'] = path));
  next();
}

/** The body of a client that has no commands to send: `{}`. */
const NO_COMMANDS_BYTES = 2;

/** Some clients send commands with GET and a body (Python, Ruby), others fetch with POST and `{}` (older ones for Java). */
export function tellCommandsFromFetches(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'GET' || req.method === 'POST') {
    const length = Number(req.headers['content-length'] ?? Infinity);
    req.method = hasBody(req) && length > NO_COMMANDS_BYTES ? 'POST' : 'GET';
  }
  next();
}
