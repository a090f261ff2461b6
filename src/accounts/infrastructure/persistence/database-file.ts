/** The SQLite file: its permissions, and whether it still exists. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DataSourceOptions } from 'typeorm';

/** Returns the path of the SQLite file; undefined for PostgreSQL and for a database in memory. */
export function databaseFileOf(options: DataSourceOptions): string | undefined {
  const isFile = options.type === 'better-sqlite3' && options.database !== ':memory:';
  return isFile ? options.database : undefined;
}

/**
 * Creates the file and its folder if missing, readable only by their owner, because the file contains e-mail addresses. SQLite gives
 * its log and index the permissions of the file. An existing folder keeps its permissions.
 * @throws NodeJS.ErrnoException when the file cannot be created or read
 */
export function preparePrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  const { mode } = statSync(file);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch {
    // The file belongs to another user, so its permissions stay.
  }
}

/** Returns an identity that changes when the file is replaced; undefined if there is no such file. */
export function identityOf(file: string): string | undefined {
  const { dev, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${dev}:${ino}`;
}
