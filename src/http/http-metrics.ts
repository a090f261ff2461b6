import { Injectable } from '@nestjs/common';
import { Metrics, SECONDS } from '../observability/metrics';
import { Lifecycle } from './lifecycle';

interface CountedRequest {
  readonly method: string;
  /** The route pattern, never the path: the number of paths is unlimited. */
  readonly route: string;
  readonly status: number;
  /** The problem code; empty for a success. */
  readonly code: string;
  readonly seconds: number;
}

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

  count({ seconds, ...labels }: CountedRequest): void {
    this.requests.inc({ ...labels, status: String(labels.status) });
    this.requestSeconds.observe({ route: labels.route }, seconds);
  }
}
