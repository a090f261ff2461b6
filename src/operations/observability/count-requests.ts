import type { NextFunction, Request, Response } from 'express';
import type { Metrics } from './metrics';

/** Stands for the status of an answer that never went out, because the caller had gone (as nginx has it). */
const CLIENT_CLOSED_REQUEST = 499;
/** Methods are text from outside: anything else would let callers make up labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts a request when it is over, by the pattern of its route: paths are endless, patterns are few. */
export function countRequests(metrics: Metrics) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.once('close', () => {
      const { arrivedAt, logged } = req.context;
      const { path } = (req.route ?? {}) as { path?: string };
      metrics.request({
        method: METHODS.has(req.method) ? req.method : 'other',
        route: typeof path === 'string' && res.statusCode !== 404 ? path : 'none',
        status: res.writableFinished ? res.statusCode : CLIENT_CLOSED_REQUEST,
        code: typeof logged['code'] === 'string' ? logged['code'] : '',
        seconds: (performance.now() - arrivedAt) / 1000,
      });
    });
    next();
  };
}
