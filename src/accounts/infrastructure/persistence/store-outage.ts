/** Distinguishes outages of the database from bugs. */
import { QueryFailedError } from 'typeorm';
import { AccountStoreUnavailable } from '../../application/account-repository.port';

/** Unique violation: PostgreSQL's SQLSTATE, SQLite's extended result code. */
const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE']);

/**
 * Error codes of an unavailable database: PostgreSQL's connection, resource and operator classes (08, 53, 57P), network
 * errors, SQLite's lock and disk errors. Timeouts of the drivers have no code. Any other code is a bug.
 */
const OUTAGE = /^(08|53|57P|E[A-Z]+$|SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY))/;

/** Returns AccountStoreUnavailable for an outage, otherwise the error itself. */
export function asOutage(error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined || OUTAGE.test(code) ? new AccountStoreUnavailable(error) : error;
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && UNIQUE_VIOLATIONS.has(codeOf(error) ?? '');
}

/** Returns whether SQLite failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

function codeOf(error: unknown): string | undefined {
  const source = error instanceof QueryFailedError ? (error.driverError as unknown) : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
