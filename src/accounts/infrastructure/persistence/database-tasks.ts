/** Runs the tasks of a database, and distinguishes its outages from bugs. */
import { setTimeout as pause } from 'node:timers/promises';
import { type DataSource, QueryFailedError } from 'typeorm';
import { findCode } from '../../../files/file-fault';
import { AccountStoreUnavailable } from '../../application/account-repository.port';

export const DATABASE_TASKS = Symbol('DatabaseTasks');

/** Runs work that uses the database. A task must change nothing if it fails, because it may run again. */
export type TaskRunner = <T>(work: () => Promise<T>) => Promise<T>;

/** How long a task is repeated while another process, such as the command line, holds the write lock. */
const PATIENCE_MS = 250;
/** Each wait is twice as long as the one before it: a failed attempt also takes time. */
const FIRST_WAIT_MS = 10;

/** With PostgreSQL at once, with SQLite one after the other. @throws AccountStoreUnavailable */
export function createTaskRunner(dataSource: DataSource): TaskRunner {
  const run: TaskRunner = dataSource.options.type === 'postgres' ? async (work) => work() : oneAtATime();
  return (work) => run(work).catch(reportOutage);
}

/** For `catch`. @throws AccountStoreUnavailable, also for a full or failing disk */
export function reportOutage(error: unknown): never {
  throw isOutage(error) ? new AccountStoreUnavailable(error) : error;
}

/**
 * TypeORM has one connection to a SQLite file. Two transactions at a time fail there, and a statement that
 * runs during another transaction is lost if that one is rolled back; so tasks run in the order of their
 * calls. One that finds the file locked is repeated.
 */
function oneAtATime(): TaskRunner {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const end = performance.now() + PATIENCE_MS;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
      const result = last.then(work);
      last = result.catch(() => undefined);
      try {
        return await result;
      } catch (error) {
        if (!isLocked(error) || performance.now() + waitMs > end) throw error;
      }
      await pause(waitMs);
    }
  };
}

const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE']);

/** PostgreSQL's classes of connections, resources and operators, network errors, SQLite's locks and disk errors. */
const OUTAGE = /^(08|53|57P|E(?!RR_)[A-Z_]+$|SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY))/;

/** Messages without a code from pg, pg-pool and TypeORM when a connection is lost, ends or times out. */
const LOST_CONNECTION =
  /timeout|Connection terminated|connection error and is not queryable|Client was closed|after calling end on the pool|not connected|connection is not (set|established)/i;

/** Returns whether the database may be available later, unlike with a wrong password or a missing database. */
export function isOutage(error: unknown): boolean {
  const code = readCode(error);
  return code === undefined ? LOST_CONNECTION.test(readMessage(error)) : OUTAGE.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && UNIQUE_VIOLATIONS.has(readCode(error) ?? '');
}

function isLocked(error: unknown) {
  return readCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

function readCode(error: unknown) {
  return findCode(unwrap(error));
}

function readMessage(error: unknown) {
  const source = unwrap(error);
  return source instanceof Error && !(source instanceof TypeError) ? source.message : '';
}

function unwrap(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}
