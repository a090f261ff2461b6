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

/** The clients for Python and Ruby send commands with GET and a body. */
export function takeCommandsOfGet(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'GET' && hasBody(req)) req.method = 'POST';
  next();
}
