/** Structured logs: one JSON object per line. */
import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';

/** Injection token: the process's logger. */
export const LOGGER = Symbol('Logger');

/**
 * Returns a logger for this level and those above it. If its output is closed, the process goes on.
 * @param alsoTo gets every line too
 */
export function createLogger(
  level: string,
  alsoTo?: (line: string) => void,
  output: NodeJS.WritableStream = process.stdout,
): Logger {
  // pino's own writer would retry forever after the reader of the pipe has exited, and keep the process running.
  output.on('error', () => undefined);
  const destination = {
    write: (line: string) => {
      output.write(line);
      alsoTo?.(line);
    },
  };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** Writes Nest's messages to the same log. Its start-up messages appear only at level `debug`. */
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
