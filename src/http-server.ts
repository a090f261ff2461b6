/** The HTTP side of the service: everything that happens to a request before Nest routes it. */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { json, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import { REPORT_HEADERS } from './compression/http/compression-headers.interceptor';
import { answerClientErrors } from './operations/client-error';
import { Lifecycle } from './operations/lifecycle';
import { logRequests, NestLogger } from './operations/logging';
import { openRequestContext } from './operations/request-context';
import type { Settings } from './settings/settings';

/** The only JSON bodies are a few short fields. */
const MAX_JSON_BYTES = 10 * 1024;

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
  app.use(logRequests(logger));
  app.use(app.get(Lifecycle).track);
  app.use('/api/v1/account', readJson);
  app.use('/api/v1/accounts', readJson);
  if (settings.corsOrigins.length > 0) {
    app.enableCors({
      origin: [...settings.corsOrigins],
      exposedHeaders: [...REPORT_HEADERS, 'X-Request-Id'],
    });
  }

  const server = app.getHttpServer();
  answerClientErrors(server);
  // Without this, Node tells every caller to go on and send 20 MB before a single header has been looked at.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  return app;
}

const parseJson = json({ limit: MAX_JSON_BYTES });

function readJson(req: Request, res: Response, next: NextFunction): void {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
  parseJson(req, res, next);
}
