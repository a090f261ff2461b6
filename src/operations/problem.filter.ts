/** Turns whatever was thrown on the way of a request into the one error shape of the contract. */
import {
  ArgumentsHost,
  Catch,
  HttpException,
  Inject,
  NotFoundException,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import { CompressionUnavailable } from '../compression/application/compression-runner.port';
import { ImageRefused } from '../compression/domain/refusal';
import { LOGGER } from './logging';
import { Problem } from './problem';
import { allowedMethods } from './routes';
import { closeAfterAnswer } from './unread-body';

/** Seconds after which a busy or recovering service is worth another try. */
const RETRY_AFTER_S = 5;
/** For whoever has lost the way (RFC 8631). */
const DOCUMENTATION = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const req = host.switchToHttp().getRequest<Request>();
    const res = host.switchToHttp().getResponse<Response>();
    if (res.destroyed || res.headersSent) {
      res.destroy();
      return;
    }
    const problem = this.toProblem(thrown, req);
    req.context.logged['code'] = problem.code;
    if (problem.status >= 500) {
      const { requestId } = req.context;
      this.logger.error({ requestId, code: problem.code, err: describe(thrown) }, 'request failed');
    }

    closeAfterAnswer(req, res);
    const { retryAfter, allow } = problem.facts;
    if (problem.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
    if (allow) res.setHeader('Allow', allow.join(', '));
    if (thrown instanceof NotFoundException) res.setHeader('Link', DOCUMENTATION);
    if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
    res.status(problem.status).setHeader('Content-Type', 'application/problem+json');
    // As bytes: Express would add a charset to text, which this media type does not have.
    res.send(Buffer.from(JSON.stringify(problem.toBody(req.context.requestId))));
  }

  private toProblem(thrown: unknown, req: Request): Problem {
    if (thrown instanceof Problem) return thrown;
    if (thrown instanceof ImageRefused) return new Problem(thrown.code, thrown.message, thrown.numbers);
    if (thrown instanceof CompressionUnavailable) return unavailable(thrown);
    if (thrown instanceof AccountStoreUnavailable) {
      return new Problem(
        'dependency_unavailable',
        'Accounts cannot be looked up at the moment; try again shortly.',
        {
          retryAfter: RETRY_AFTER_S,
        },
      );
    }
    if (thrown instanceof NotFoundException) return notFound(req);
    const status = thrown instanceof HttpException ? thrown.getStatus() : clientErrorStatus(thrown);
    if (status !== undefined && status >= 400 && status < 500) {
      return new Problem('invalid_request', 'The request or its JSON body is malformed, or too large.');
    }
    return new Problem(
      'internal_error',
      'The fault has been logged under this request id; trying again may help.',
    );
  }
}

function unavailable({ reason }: CompressionUnavailable): Problem {
  switch (reason) {
    case 'overloaded':
      return new Problem(
        'overloaded',
        'There is no room for another image at the moment; try again shortly.',
        {
          retryAfter: RETRY_AFTER_S,
        },
      );
    case 'deadline_exceeded':
      return new Problem(
        'deadline_exceeded',
        'The image was not done within its time; try again when there is less to do.',
        {
          retryAfter: RETRY_AFTER_S,
        },
      );
    case 'stopped':
    case 'cancelled':
      return new Problem('draining', 'This instance is stopping; another one will answer.', {
        retryAfter: 1,
      });
    case 'worker_lost':
      return new Problem(
        'dependency_unavailable',
        'The process that worked on this image was lost; try again.',
        {
          retryAfter: 1,
        },
      );
  }
}

function notFound(req: Request): Problem {
  const allow = allowedMethods(req.app, req.path);
  return allow.length > 0
    ? new Problem('method_not_allowed', `${req.method} is not allowed here; use ${allow.join(' or ')}.`, {
        allow,
      })
    : new Problem(
        'not_found',
        'No such address; the operation is POST /api/v1/compress, and GET /docs lists the others.',
      );
}

/** Body parsers throw plain errors with a status when the caller is at fault. */
function clientErrorStatus(thrown: unknown): number | undefined {
  const status = (thrown as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : undefined;
}

/** For the log only. */
function describe(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause instanceof Error ? thrown.cause.message : undefined;
  return { message: thrown.message, stack: thrown.stack, cause };
}
