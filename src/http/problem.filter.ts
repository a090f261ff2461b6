/**
 * Turns everything that is thrown while a request is handled into a problem response (RFC 9457), and logs
 * what is a bug or an outage. A response that has begun cannot change its status, so its connection is
 * destroyed.
 */
import {
  ArgumentsHost,
  Catch,
  HttpException,
  Inject,
  NotFoundException,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Application, Request, Response } from 'express';
import type { Logger } from 'pino';
import { REMOVED_ROUTES } from '../contract/removed';
import { ImageRefused } from '../contract/image-problems';
import { Problem } from '../contract/problem';
import {
  internalError,
  malformedRequest,
  methodNotAllowed,
  noSuchAddress,
} from '../contract/service-problems';
import { LOGGER } from '../observability/logging';
import { traceRequest } from '../observability/telemetry';
import { closeAfterResponse } from './request-body';
import { exchangeOf } from './requests';

/** RFC 8631. */
const DOCUMENTATION = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost) {
    const { req, res } = exchangeOf(host);
    this.answer(thrown, req, res);
  }

  /** For errors that Nest does not pass on: those of a body that is being sent. */
  answer(thrown: unknown, req: Request, res: Response): void {
    if (res.destroyed) return;
    const problem = toProblem(thrown, req);
    req.context.logged['code'] = problem.code;
    if (problem instanceof ImageRefused && problem.fault) req.context.logged['cause'] = problem.fault;
    traceRequest({ 'error.type': problem.code });
    this.log(problem, thrown, req);
    if (res.headersSent) {
      req.context.isBrokenOff = true;
      res.statusCode = problem.status;
      res.destroy();
      return;
    }
    closeAfterResponse(req, res);
    const { retryAfter, allow } = problem.facts;
    if (allow) res.setHeader('Allow', allow.join(', '));
    if (thrown instanceof NotFoundException) res.setHeader('Link', DOCUMENTATION);
    if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
    this.send(problem, res);
  }

  /** Writes the response. TinifyErrorFilter has another form. */
  protected send(problem: Problem, res: Response) {
    if (problem.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
    res.status(problem.status).setHeader('Content-Type', 'application/problem+json');
    // A buffer, because Express adds a charset to text, and this media type has none.
    res.send(Buffer.from(JSON.stringify(problem.toBody(res.req.context.requestId))));
  }

  /** Overload and shutdown are expected. */
  private log({ code, status }: Problem, thrown: unknown, { context: { requestId } }: Request) {
    if (code === 'internal_error') {
      this.logger.error({ requestId, code, err: describe(thrown) }, 'request failed');
    } else if (code === 'dependency_unavailable') {
      this.logger.error({ requestId, code, cause: describeCause(thrown) }, 'a dependency is unavailable');
    } else if (status >= 500) {
      this.logger.debug({ requestId, code }, 'request refused');
    }
  }
}

/** Returns a problem as it is, and the closest problem for an error of the framework. */
function toProblem(thrown: unknown, req: Request) {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof NotFoundException) return notFound(req);
  const status = thrown instanceof HttpException ? thrown.getStatus() : clientErrorStatus(thrown);
  return status !== undefined && status >= 400 && status < 500 ? malformedRequest() : internalError();
}

function notFound(req: Request) {
  const allow = allowedMethods(req.app, req.path);
  return allow.length > 0 ? methodNotAllowed(req.method, allow) : noSuchAddress(REMOVED_ROUTES[req.path]);
}

/** Returns the status that body parsers set on errors that the client caused. */
function clientErrorStatus(thrown: unknown) {
  const status = (thrown as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : undefined;
}

function describe(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return String(thrown);
  return { message: thrown.message, stack: thrown.stack, cause: describeCause(thrown) };
}

function describeCause(thrown: unknown) {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  return cause instanceof Error ? cause.message : undefined;
}

/** A layer of Express 5's router. Its behaviour is public and stable, but Express has no types for it. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Upper case and sorted; empty if no route matches. */
function allowedMethods(app: Application, path: string) {
  const layers = (app as unknown as { router: { stack: RouterLayer[] } }).router.stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (!layer.route || !layer.match(path)) continue;
    for (const [method, isHandled] of Object.entries(layer.route.methods)) {
      if (isHandled) methods.add(method.toUpperCase());
    }
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
