/** The HTTP server: everything that happens to a request before Nest routes it. */
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { EXPOSED_HEADERS } from '../contract/headers';
import { invalidHost, missingHost } from '../contract/service-problems';
import { NestLogger } from '../observability/logging';
import { LimitedExpressAdapter, REQUEST_TIMEOUT_MS, respondToClientErrors } from './connections';
import type { HttpSettings } from './http.settings';
import { Lifecycle } from './lifecycle';
import { deferExpectContinue } from './request-body';
import { openRequestContext, RequestRecords } from './request-context';

/** Limit for sending the response, which stays in memory until the client has read it. */
const RESPONSE_TIMEOUT_MS = 120_000;

/**
 * Returns the application with its middleware, ready to listen.
 * @param module the root module
 * @param handlingMs longest time between the end of the upload and the start of the response
 */
export async function createHttpServer(
  module: DynamicModule,
  settings: HttpSettings,
  handlingMs: number,
  logger: Logger,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new LimitedExpressAdapter(), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', settings.trustProxy);
  app.use(openRequestContext);
  app.use(endAfter(REQUEST_TIMEOUT_MS + handlingMs + RESPONSE_TIMEOUT_MS));
  if (settings.corsOrigins.length > 0) {
    app.enableCors({ origin: [...settings.corsOrigins], exposedHeaders: [...EXPOSED_HEADERS] });
  }
  app.use(app.get(RequestRecords).track);
  app.use(app.get(Lifecycle).track);
  app.use(requireHost);

  respondToClientErrors(app.getHttpServer());
  deferExpectContinue(app.getHttpServer());
  return app;
}

/** A name or an address, with an optional port; may be empty (RFC 9110, 7.2). */
const HOST = /^(\[[0-9a-f:.]+\]|[^\s/?#@\\:,]*)(:\d*)?$/i;

/** Refuses requests that a proxy may read differently: HTTP/1.1 with no Host, several, or an invalid one (RFC 9112, 3.2). */
function requireHost({ headersDistinct, httpVersion }: Request, _res: Response, next: NextFunction): void {
  const hosts = headersDistinct['host'] ?? [];
  if (httpVersion === '1.1' && hosts.length === 0) next(missingHost());
  else next(hosts.length > 1 || !hosts.every((host) => HOST.test(host)) ? invalidHost() : undefined);
}

/** Middleware and handlers listen for `close` to release resources; by default Node warns above ten listeners. */
const MAX_LISTENERS = 20;

/** Returns middleware that closes the connection if a request takes longer than this. */
function endAfter(ms: number) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.setMaxListeners(MAX_LISTENERS);
    const timer = setTimeout(() => res.destroy(), ms).unref();
    res.once('close', () => clearTimeout(timer));
    next();
  };
}
