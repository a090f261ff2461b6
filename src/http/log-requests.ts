import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { withoutKeys } from '../observability/hidden-keys';

/** Returns middleware that logs one line per request when its response closes. */
export function logRequests(logger: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.once('close', () => {
      const { requestId, arrivedAt, caller, logged } = req.context;
      const line = {
        requestId,
        method: req.method,
        // No query string: it may contain secrets.
        path: withoutKeys(req.path),
        status: res.writableFinished ? res.statusCode : undefined,
        ms: Math.round(performance.now() - arrivedAt),
        accountId: caller?.accountId,
        keyId: caller?.keyId,
        isTrial: caller?.isTrial,
        ...logged,
      };
      if (!res.writableFinished) logger.info(line, 'client disconnected');
      else if (req.path.startsWith('/health/')) logger.debug(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}
