import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Metrics, SECONDS } from '../observability/metrics';
import { Lifecycle } from './lifecycle';

/** The status counted for a client that disconnected before the response was sent, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499;
/** Other methods count as `other`; otherwise clients could create any number of label values. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

@Injectable()
export class HttpMetrics {
  private readonly requests;
  private readonly requestSeconds;

  constructor(metrics: Metrics, lifecycle: Lifecycle) {
    this.requests = metrics.counter('http_requests_total', 'Completed requests.', [
      'method',
      'route',
      'status',
      'code',
    ]);
    this.requestSeconds = metrics.histogram(
      'http_request_duration_seconds',
      'Time from the head of a request to the end of its response, upload included.',
      SECONDS,
      ['route'],
    );
    metrics.gauge('requests_in_flight', 'Requests without a complete response.', () => {
      return lifecycle.requestsInFlight;
    });
    metrics.gauge('draining', '1 while the process is shutting down.', () => (lifecycle.isStopping ? 1 : 0));
  }

  /** Middleware that counts a request when its response closes. */
  readonly track = (req: Request, res: Response, next: NextFunction): void => {
    res.once('close', () => {
      const { arrivedAt, logged } = req.context;
      // The pattern, never the path: the number of paths is unlimited.
      const { path } = (req.route ?? {}) as { path?: string };
      const route = typeof path === 'string' && res.statusCode !== 404 ? path : 'none';
      this.requests.inc({
        method: METHODS.has(req.method) ? req.method : 'other',
        route,
        status: String(res.writableFinished ? res.statusCode : CLIENT_CLOSED_REQUEST),
        // Empty for a success.
        code: typeof logged['code'] === 'string' ? logged['code'] : '',
      });
      this.requestSeconds.observe({ route }, (performance.now() - arrivedAt) / 1000);
    });
    next();
  };
}
