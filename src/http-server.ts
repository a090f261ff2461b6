/** The HTTP side of the service: everything that happens to a request before Nest routes it. */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import { REPORT_HEADERS } from './compression/http/compression-headers.interceptor';
import { answerClientErrors } from './operations/client-error';
import { decideExpectationsLater } from './operations/expect-continue';
import { Lifecycle } from './operations/lifecycle';
import { announceLostAnswers } from './operations/lost-answers';
import { logRequests, NestLogger } from './operations/logging';
import { countRequests } from './operations/observability/count-requests';
import { Metrics } from './operations/observability/metrics';
import { openRequestContext } from './operations/request-context';
import { RATE_LIMIT_HEADERS } from './rate-limit/rate-limit-headers';
import type { Settings } from './settings/settings';

/** Longer than the 60 s for which common proxies keep idle connections: the proxy closes first, and no request of
 * its own meets a connection that we are just closing. */
const KEEP_ALIVE_MS = 72_000;
/** For a body of 20 MB this is 1.4 Mbit/s; slower uploads get 408. */
const REQUEST_TIMEOUT_MS = 120_000;
/** As long for the answer: it is held in memory until the caller has read it. */
const ANSWER_TIMEOUT_MS = 120_000;

export async function createHttpServer(settings: Settings, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings, logger), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', settings.trustProxy);
  app.use(openRequestContext);
  app.use(endAfter(REQUEST_TIMEOUT_MS + settings.pool.deadlineMs + ANSWER_TIMEOUT_MS));
  if (settings.corsOrigins.length > 0) {
    app.enableCors({
      origin: [...settings.corsOrigins],
      exposedHeaders: [...REPORT_HEADERS, ...RATE_LIMIT_HEADERS, 'Retry-After', 'X-Request-Id'],
    });
  }
  app.use(logRequests(logger));
  app.use(countRequests(app.get(Metrics)));
  app.use(app.get(Lifecycle).track);

  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  answerClientErrors(server);
  announceLostAnswers(server);
  decideExpectationsLater(server);
  return app;
}

/** What is held for the time of a request is released at its end: by more listeners than the ten that Node warns of. */
const MOST_LISTENERS = 20;

/** Cuts off whoever does not take his answer. */
function endAfter(ms: number) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.setMaxListeners(MOST_LISTENERS);
    const timer = setTimeout(() => res.destroy(), ms).unref();
    res.once('close', () => clearTimeout(timer));
    next();
  };
}
