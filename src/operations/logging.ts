/** Structured logs: one JSON object a line on standard output, one line a request. */
import type { LoggerService } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import pino, { type Logger } from 'pino';

/** Injection token: the process's logger. */
export const LOGGER = Symbol('Logger');

export function createLogger(level: string): Logger {
  // Whoever read our logs may be gone; that is no reason to stop serving, or to hang at the end: pino's own writer
  // retries for ever when its reader has gone.
  process.stdout.on('error', () => undefined);
  const standardOutput = { write: (line: string) => void process.stdout.write(line) };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
    },
    standardOutput,
  );
}

/** Nest's own messages in the same stream; its start-up chatter only at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }
}

/** Writes one line when a request is over, answered or not. */
export function logRequests(logger: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.once('close', () => {
      const { requestId, arrivedAt, caller, logged } = req.context;
      const line = {
        requestId,
        method: req.method,
        // Without the query: callers put secrets there by mistake.
        path: req.path,
        status: res.writableFinished ? res.statusCode : undefined,
        ms: Math.round(performance.now() - arrivedAt),
        ...caller,
        ...logged,
      };
      if (!res.writableFinished) logger.info(line, 'client went away');
      else if (req.path.startsWith('/health/')) logger.debug(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}
