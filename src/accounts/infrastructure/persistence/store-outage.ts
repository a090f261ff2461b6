/** Distinguishes outages of the database from bugs. */
import { QueryFailedError } from 'typeorm';

/** Unique violation: PostgreSQL's SQLSTATE, SQLite's extended result code. */
const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE']);

/**
 * Error codes of an unavailable database: PostgreSQL's connection, resource and operator classes (08, 53, 57P), network
 * errors, SQLite's lock and disk errors.
 */
const OUTAGE = /^(08|53|57P|E(?!RR_)[A-Z_]+$|SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY))/;

/** Messages without a code from pg, pg-pool and TypeORM when a connection is lost, ends or times out. */
const LOST_CONNECTION =
  /timeout|Connection terminated|connection error and is not queryable|Client was closed|after calling end on the pool|not connected|connection is not (set|established)/i;

/** Returns an `Outage` for an outage, otherwise the error itself, which is a bug. */
export function asOutage(error: unknown, Outage: new (cause: unknown) => Error): unknown {
  return isOutage(error) ? new Outage(error) : error;
}

/** Returns whether the database may be available later, unlike with a wrong password or a missing database. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined ? LOST_CONNECTION.test(messageOf(error)) : OUTAGE.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && UNIQUE_VIOLATIONS.has(codeOf(error) ?? '');
}

/** Returns whether another process held the lock of the SQLite file. */
export function isLocked(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Returns whether SQLite failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

function codeOf(error: unknown): string | undefined {
  const { code } = (sourceOf(error) ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function messageOf(error: unknown): string {
  const source = sourceOf(error);
  return source instanceof Error && !(source instanceof TypeError) ? source.message : '';
}

function sourceOf(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}
