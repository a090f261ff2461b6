export type SerialRunner = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs tasks one after the other, in the order of the calls.
 *
 * TypeORM has a single connection to a SQLite file. Concurrent transactions fail there ("cannot start a transaction within
 * a transaction"), and a statement that runs during a transaction is lost if that is rolled back.
 */
export function oneAtATime(): SerialRunner {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
