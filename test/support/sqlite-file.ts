import {
  SqliteDatabase,
  type SqliteValue,
} from '../../src/accounts/infrastructure/persistence/sqlite-driver';

/** Opens the database of a service, which cannot see what a test does in it. @param url as in DATABASE_URL */
export const openSqlite = (url: string) => new SqliteDatabase(url.replace('sqlite:', ''));

export function execute(url: string, statement: string, ...values: SqliteValue[]) {
  const database = openSqlite(url);
  database.prepare(statement).run(...values);
  database.close();
}

/** Locks the database of a service until the returned function is called. */
export function lock(url: string) {
  const database = openSqlite(url);
  database.prepare('BEGIN IMMEDIATE').run();
  return () => {
    database.prepare('COMMIT').run();
    database.close();
  };
}

export const changeAccount = (url: string, { accountId }: { accountId: string }, assignment: string) =>
  execute(url, `UPDATE accounts SET ${assignment} WHERE id = ?`, accountId);
