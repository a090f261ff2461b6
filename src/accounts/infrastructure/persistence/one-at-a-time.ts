import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isLocked } from './store-outage';

export type SerialRunner = <T>(work: () => Promise<T>) => Promise<T>;

/** How long tasks wait while another process, such as the command line, holds the write lock. */
const PATIENCE_MS = 250;
const CHECK_MS = 10;
/** After an unsuccessful wait, tasks that find the file locked are refused at once for this long. */
const REFUSAL_MS = 1_000;

/**
 * Returns a function that runs tasks one at a time, in call order. A task that finds the SQLite file locked is repeated once it is
 * free; meanwhile others run, for example tasks that only read. A failing task must change nothing.
 *
 * TypeORM has a single connection to a SQLite file. Concurrent transactions fail there ("cannot start a transaction within a
 * transaction"), and a statement that runs during another transaction is lost if that is rolled back.
 */
export function oneAtATime(dataSource: DataSource): SerialRunner {
  let last: Promise<unknown> = Promise.resolve();
  let wait: Promise<boolean> | undefined;
  let refusesUntil = 0;

  const inTurn: SerialRunner = (work) => {
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
