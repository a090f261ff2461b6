/** Requests: their context, their number in flight for a shutdown, and their log lines and metrics. */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type ArgumentsHost } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Caller, Sharer } from '../contract/caller';
import { HiddenKeys } from '../observability/hidden-keys';
import { fourDigits, LOGGER } from '../observability/logging';
import { Metrics, SECONDS } from '../observability/metrics';
import { networkOf } from './network';

/** Capabilities add members by declaration merging. @public */
export interface RequestContext {
  readonly requestId: string;
  /** On the clock of performance.now(), in ms. */
  readonly arrivedAt: number;
  /** Set by the API key guard. */
  caller?: Caller;
  /** Set when a worker takes the image of the request; from then on a trial pays for it. */
  hasUsedWorker?: boolean;
  /** Whether the service itself ended a response that had begun. */
  isBrokenOff?: boolean;
  /** Fields of the log line; never keys or image bytes. */
  readonly logged: Record<string, unknown>;
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext;
  }
}

/** Returns what Nest hands to guards, interceptors and filters. */
export function exchangeOf(host: ArgumentsHost) {
  const http = host.switchToHttp();
  return { req: http.getRequest<Request>(), res: http.getResponse<Response>() };
}

/** @throws Error if no guard of the route has authenticated the caller, which is a bug */
export function requireCaller({ context: { caller } }: Pick<Request, 'context'>) {
  if (!caller) throw new Error('This route needs a guard that authenticates the caller');
  return caller;
}

/** Returns whose share a request takes; before the credentials, the network alone. */
export function sharerOf({ ip, context: { caller } }: Pick<Request, 'context' | 'ip'>): Sharer {
  return { network: networkOf(ip), ...(caller && { account: caller.shareKey }) };
}

const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's request id if it is safe and holds no API key, otherwise a new one. */
function requestIdFor(incoming: string | undefined, keys: HiddenKeys) {
  return incoming && SAFE_REQUEST_ID.test(incoming) && !keys.areIn(incoming) ? incoming : randomUUID();
}

/** The first middleware: sets the context, and the headers that every response has. */
export const openRequestContext =
  (keys: HiddenKeys): RequestHandler =>
  (req, res, next) => {
    req.context = {
      requestId: requestIdFor(req.header('x-request-id'), keys),
      arrivedAt: performance.now(),
      logged: {},
    };
    res.setHeader('X-Request-Id', req.context.requestId);
    // Responses contain keys, account data and private images; no cache may store them.
    res.setHeader('Cache-Control', 'no-store');
    // A browser that guesses types might run an uploaded file as a script.
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  };

/** The requests in flight, and whether this process is stopping. */
@Injectable()
export class Lifecycle {
  /** True once a shutdown is announced: readiness fails. Images are accepted until `isDraining`. */
  isStopping = false;
  /** True once new images are refused with 503 `draining`. */
  isDraining = false;
  requestsInFlight = 0;
  private onEmpty: (() => void) | undefined;

  /** Middleware: counts a request until its response closes. */
  readonly track: RequestHandler = (_req, res, next) => {
    this.requestsInFlight++;
    // Already during the grace period: a proxy may send the client's next connection to another instance.
    if (this.isStopping) res.setHeader('Connection', 'close');
    res.once('close', () => {
      this.requestsInFlight--;
      if (this.requestsInFlight === 0) this.onEmpty?.();
    });
    next();
  };

  /** Makes readiness fail and resolves after the grace period, so that proxies notice before requests are refused. */
  async announceStop(graceMs: number): Promise<void> {
    this.isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, graceMs));
  }

  /** Starts draining; resolves when no request is in flight, or after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.isStopping = true;
    this.isDraining = true;
    if (this.requestsInFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The status counted for a client that disconnected before the response was sent, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499;
/** Other methods count as `other`; otherwise clients could create any number of label values. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Writes a log line and metrics for each request when its response closes, also if the client has disconnected. */
@Injectable()
export class RequestRecords {
  private readonly requests;
  private readonly requestSeconds;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly keys: HiddenKeys,
    metrics: Metrics,
    lifecycle: Lifecycle,
  ) {
    const labels = ['method', 'route', 'status', 'code'];
    this.requests = metrics.counter('http_requests_total', 'Completed requests.', labels);
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

  readonly track: RequestHandler = (req, res, next) => {
    res.once('close', () => {
      const { arrivedAt, isBrokenOff } = req.context;
      const ms = performance.now() - arrivedAt;
      // Undefined if the client has disconnected.
      const status = res.writableFinished || isBrokenOff ? res.statusCode : undefined;
      this.log(req, status, ms);
      this.count(req, status, ms);
    });
    next();
  };

  private log({ context, method, path }: Request, status: number | undefined, ms: number) {
    const { requestId, caller, logged } = context;
    const line = {
      requestId,
      method,
      // No query string: it may contain secrets.
      path: this.keys.hideIn(path),
      status,
      ms: Math.round(fourDigits(ms)),
      accountId: caller?.accountId,
      keyId: caller?.keyId,
      isTrial: caller?.isTrial,
      ...logged,
    };
    if (status === undefined) this.logger.info(line, 'client disconnected');
    else this.logger[path.startsWith('/health/') ? 'debug' : 'info'](line, 'request');
  }

  private count(req: Request, status = CLIENT_CLOSED_REQUEST, ms: number) {
    const { code } = req.context.logged;
    // The pattern, never the path: the number of paths is unlimited.
    const { path } = (req.route ?? {}) as { path?: string };
    const route = typeof path === 'string' && status !== 404 ? path : 'none';
    this.requests.inc({
      method: METHODS.has(req.method) ? req.method : 'other',
      route,
      status: String(status),
      // Empty for a success.
      code: typeof code === 'string' ? code : '',
    });
    this.requestSeconds.observe({ route }, ms / 1000);
  }
}
