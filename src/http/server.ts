/**
 * The HTTP server: time limits of its connections, one request at a time on each, what happens to a request
 * before Nest routes it, and responses to what Node's parser rejects before any handler runs.
 */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { EXPOSED_HEADERS } from '../contract/headers';
import type { Problem } from '../contract/problem';
import {
  headersTooLarge,
  invalidHost,
  missingHost,
  notHttp,
  requestTimeout,
} from '../contract/service-problems';
import { HiddenKeys } from '../observability/hidden-keys';
import { nestLogger } from '../observability/logging';
import { traceRequests } from '../observability/telemetry';
import type { HttpSettings } from './http.settings';
import { refuseOtherSites } from './other-sites';
import { boundUnreadBody, deferExpectContinue, trackConnection } from './request-body';
import { Lifecycle, openRequestContext, RequestRecords } from './requests';

/** Longer than the 60 s of common proxies for idle connections, so the proxy closes first and never sends to a closing connection. */
const KEEP_ALIVE_MS = 72_000;
const HEAD_TIMEOUT_MS = 12_000;
/** Limit for head and body. A body of 20 MB needs 1.4 Mbit/s; slower uploads get 408. */
const REQUEST_TIMEOUT_MS = 120_000;
/** How often Node checks for expired requests (its default is 30 s), so a head times out within 15 s. */
const CHECK_INTERVAL_MS = 3_000;
/** Browsers and proxies do not pipeline; other tools rarely send more than ten requests ahead. */
const MAX_PENDING = 16;
/** Time for the client to read the response. Closing the socket while data still arrives would reset the connection. */
const LINGER_MS = 1_000;
/** Limit for sending the response, which stays in memory until the client has read it. */
const RESPONSE_TIMEOUT_MS = 120_000;

/** @param handlingMs longest time between the end of the upload and the start of the response */
export async function createHttpServer(
  module: DynamicModule,
  settings: HttpSettings,
  handlingMs: number,
  logger: Logger,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new LimitedExpressAdapter(), {
    logger: nestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', settings.trustProxy);
  const keys = app.get(HiddenKeys);
  app.use(openRequestContext(keys));
  app.use(traceRequests(keys));
  app.use(endAfter(REQUEST_TIMEOUT_MS + handlingMs + RESPONSE_TIMEOUT_MS));
  if (settings.corsOrigins.length > 0) {
    app.enableCors({ origin: [...settings.corsOrigins], exposedHeaders: [...EXPOSED_HEADERS] });
  }
  app.use(app.get(RequestRecords).track);
  app.use(app.get(Lifecycle).track);
  app.use(requireHost);
  app.use(refuseOtherSites(app.getHttpServer(), settings.corsOrigins));
  return app;
}

/** A name or an address, with an optional port; may be empty (RFC 9110, 7.2). */
const HOST = /^(\[[0-9a-f:.]+\]|[^\s/?#@\\:,]*)(:\d*)?$/i;

/** Refuses requests that a proxy may read differently: HTTP/1.1 with no Host, several, or an invalid one (RFC 9112, 3.2). */
const requireHost: RequestHandler = ({ headersDistinct, httpVersion }, _res, next) => {
  const hosts = headersDistinct['host'] ?? [];
  if (httpVersion === '1.1' && hosts.length === 0) next(missingHost());
  else next(hosts.length > 1 || !hosts.every((host) => HOST.test(host)) ? invalidHost() : undefined);
};

/** Middleware and handlers listen for `close` to release resources; by default Node warns above ten listeners. */
const MAX_LISTENERS = 20;

/** Returns middleware that closes the connection if a request takes longer than this. */
const endAfter =
  (ms: number): RequestHandler =>
  (_req, res, next) => {
    res.setMaxListeners(MAX_LISTENERS);
    const timer = setTimeout(() => res.destroy(), ms).unref();
    res.once('close', () => clearTimeout(timer));
    next();
  };

type Route = (req: IncomingMessage, res: ServerResponse) => void;

/** An Express adapter whose server has limits that Nest has no options for. @public test/http/heads.spec.ts reads them */
export class LimitedExpressAdapter extends ExpressAdapter {
  override initHttpServer() {
    const route = this.getInstance<Route>();
    this.httpServer = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEAD_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        // Node would respond without a body; see requireHost.
        requireHostHeader: false,
      },
      // Checked before Express, which makes a request ten times as expensive.
      (req, res) => admit(req, res, route),
    );
    respondToClientErrors(this.httpServer);
    deferExpectContinue(this.httpServer);
  }
}

/** Starts pipelined requests (RFC 9112 9.3.2) one by one, so that a client cannot monopolise the event loop or memory. */
function admit(req: IncomingMessage, res: ServerResponse, route: Route): void {
  const { socket } = req;
  const connection = trackConnection(socket);
  const isOver = () => !socket.writable || connection.isClosing;
  const start = () => {
    if (isOver()) return void req.resume();
    boundUnreadBody(req, res);
    route(req, res);
  };
  if (isOver()) return void req.resume();
  const { pending: responses } = connection;
  if (responses.size >= MAX_PENDING) return void socket.destroy();
  const last = [...responses].at(-1);
  responses.add(res);
  res.once('close', () => responses.delete(res));
  if (last) last.once('close', () => startLater(start));
  else start();
}

/** Pipelined requests that are due, of all connections. */
const due: (() => void)[] = [];

/** One in each turn of the event loop, so that all others wait for one at a time, however many connections pipeline. */
function startLater(start: () => void) {
  if (due.push(start) === 1) setImmediate(startNext);
}

function startNext() {
  const start = due.shift();
  if (due.length > 0) setImmediate(startNext);
  start?.();
}

/** Answers after the pending responses. Node emits the error for each further chunk, so only the first counts. */
function respondToClientErrors(server: Server) {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = trackConnection(socket);
    if (connection.isBroken) return;
    connection.isBroken = true;
    socket.pause();
    const responses = [...connection.pending];
    const [last, before] = [responses.at(-1), responses.at(-2)];
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (!last) close(socket, rawResponse(problemFor(error.code)));
    else if (last.req.complete) last.once('close', () => close(socket));
    else {
      // The last request is incomplete, so its own response would be wrong.
      const final = last.headersSent ? undefined : rawResponse(problemFor(error.code));
      if (before) before.once('close', () => close(socket, final));
      else if (final) close(socket, final);
      else socket.destroy();
    }
  });
}

function close(socket: Duplex, finalResponse?: string) {
  socket.end(finalResponse);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function problemFor(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout() : notHttp();
}

function rawResponse(problem: Problem) {
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toBody(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    '',
    body,
  ].join('\r\n');
}
