/** Logs: one JSON object per line, readable lines on a terminal. */
import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';

export const LOGGER = Symbol('Logger');

/** A path may have 15 kB. */
const MAX_TEXT_LENGTH = 200;
/** Never of a client, and useless without its end. */
const WHOLE = ['err', 'stack'];

export const shortened = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;

export const fourDigits = (value: number) => Number(value.toPrecision(4));

/** Shortens texts and fractions, which are durations and scores. */
function brief(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (typeof value === 'number') return Number.isInteger(value) ? value : fourDigits(value);
  return value?.constructor === Object ? briefMembers(value) : value;
}

const briefMembers = (members: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, WHOLE.includes(name) ? value : brief(value)]),
  );

/** @param alsoTo gets every line too. @param isForPeople writes readable lines; by default on a terminal */
export function createLogger(
  level: string,
  alsoTo?: (line: string) => void,
  output: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout,
  isForPeople = output.isTTY,
): Logger {
  // pino's own writer would retry forever after the reader of the pipe has exited, and keep the process running.
  output.on('error', () => undefined);
  const destination = {
    write: (line: string) => {
      output.write(isForPeople ? readable(line) : line);
      alsoTo?.(line);
    },
  };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }), log: briefMembers },
    },
    destination,
  );
}

/** Clients must not command the terminal. A line break can only come from a stack. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n]/gu;

/** Returns a line of JSON as time, level, message and `name=value`. */
export function readable(line: string): string {
  const { level, time, message, err, ...members } = JSON.parse(line) as Record<string, unknown>;
  const values = Object.entries(members).map(([name, value]) => {
    const isWord = typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
    return `${name}=${isWord ? value : JSON.stringify(value)}`;
  });
  const { stack } = (err ?? {}) as { stack?: string };
  const said = [new Date(String(time)).toLocaleTimeString('sv'), level, message, ...values].join(' ');
  return `${[said, ...(stack ? [stack] : [])].join('\n').replace(CONTROL_CHARACTERS, '?')}\n`;
}

/** Writes Nest's messages to the same log. Its start-up messages appear only at level `debug`. */
export const nestLogger = (logger: Logger): LoggerService => ({
  log: (message: unknown, context?: string) => logger.debug({ context }, String(message)),
  warn: (message: unknown, context?: string) => logger.warn({ context }, String(message)),
  error: (message: unknown, stack?: string, context?: string) =>
    logger.error({ context, stack }, String(message)),
});
