import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { asOutage, isLocked } from './store-outage';

export type TaskRunner = <T>(work: () => Promise<T>) => Promise<T>;

/** How long tasks wait while another process, such as the command line, holds the write lock. */
const PATIENCE_MS = 250;
const CHECK_MS = 10;
/** After an unsuccessful wait, tasks that find the file locked are refused at once for this long. */
const REFUSAL_MS = 1_000;

/** All repositories of a SQLite database share its queue. */
const queues = new WeakMap<DataSource, TaskRunner>();

/**
 * Returns a function that runs tasks of a database: with PostgreSQL at once, with SQLite one after the other.
 * @param Outage the error to throw when the database is unavailable
 */
export function runnerOf(dataSource: DataSource, Outage: new (cause: unknown) => Error): TaskRunner {
  const run = queues.get(dataSource) ?? newRunner(dataSource);
  queues.set(dataSource, run);
  return async (work) => {
    try {
      return await run(work);
    } catch (error) {
      throw asOutage(error, Outage);
    }
  };
}

function newRunner(dataSource: DataSource): TaskRunner {
  return dataSource.options.type === 'postgres' ? (work) => work() : oneAtATime(dataSource);
}

/**
 * Returns a function that runs tasks one after the other, in the order of the calls. Tasks that find the SQLite file locked are
 * repeated when it is free; meanwhile others run, for example those that only read. A task must change nothing if it fails.
 *
 * TypeORM has a single connection to a SQLite file. Concurrent transactions fail there ("cannot start a transaction within a
 * transaction"), and a statement that runs during another transaction is lost if that is rolled back.
 */
function oneAtATime(dataSource: DataSource): TaskRunner {
  let last: Promise<unknown> = Promise.resolve();
  let wait: Promise<boolean> | undefined;
  let refusesUntil = 0;

  const inTurn: TaskRunner = (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const isFree = () =>
    inTurn(async () => {
      await dataSource.query('BEGIN IMMEDIATE');
      await dataSource.query('ROLLBACK');
    }).then(
      () => true,
      () => false,
    );
  const waitForLock = async (): Promise<boolean> => {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
      await pause(CHECK_MS);
      if (await isFree()) return true;
    }
    refusesUntil = performance.now() + REFUSAL_MS;
    return false;
  };
  return async (work) => {
    for (const end = performance.now() + PATIENCE_MS; ;) {
      try {
        return await inTurn(work);
      } catch (error) {
        const now = performance.now();
        if (!isLocked(error) || now > end || now < refusesUntil) throw error;
        wait ??= waitForLock().finally(() => (wait = undefined));
        if (!(await wait)) throw error;
      }
    }
  };
}
