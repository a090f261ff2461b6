import type { NextFunction, Request, Response } from 'express';
import type { HttpMetrics } from './http-metrics';

/** The status counted for a client that disconnected before the response was sent, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499;
/** Other methods count as `other`; otherwise clients could create any number of label values. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns middleware that counts each request when its response closes. */
export function countRequests(metrics: HttpMetrics) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.once('close', () => {
      const { arrivedAt, logged } = req.context;
      const { path } = (req.route ?? {}) as { path?: string };
      metrics.count({
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
