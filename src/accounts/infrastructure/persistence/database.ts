/**
 * Opens the database of DATABASE_URL and brings its tables up to date. A SQLite file and its folder are
 * created if they are missing; a PostgreSQL database must exist.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor, type DataSourceOptions } from 'typeorm';
import { CreateAccounts1764000000000 } from './1764000000000-create-accounts';
import { CreateOutputs1796000000000 } from './1796000000000-create-outputs';
import { WidenOutputFormat1797000000000 } from './1797000000000-widen-output-format';
import { EmptyOutputs1798000000000 } from './1798000000000-empty-outputs';
import { isOutage } from './database-tasks';
import { SqliteDatabase } from './sqlite-driver';
import { AccountEntity, ApiKeyEntity, MonthlyUsageEntity } from './entities';

const TABLES = {
  entities: [AccountEntity, ApiKeyEntity, MonthlyUsageEntity],
  migrations: [
    CreateAccounts1764000000000,
    CreateOutputs1796000000000,
    WidenOutputFormat1797000000000,
    EmptyOutputs1798000000000,
  ],
};
/** Any number that is otherwise unused in the database. */
const MIGRATION_LOCK = 7_204_113;
/** Only while the database is opened. Later waits would block the event loop: see database-tasks.ts. */
const SQLITE_OPEN_TIMEOUT_MS = 250;
/** Time limit of a PostgreSQL query; after that the client receives 503. */
const POSTGRES_TIMEOUT_MS = 5_000;
const POSTGRES_ATTEMPTS = 5;
const RETRY_DELAY_MS = 2_000;

/**
 * Opens and migrates the database. Replicas migrate one after another, by an advisory lock. PostgreSQL may
 * still be starting, so it is tried five times. @param connections largest number to PostgreSQL; SQLite has
 * one
 * @throws Error when the database cannot be opened, or a migration fails
 */
export async function openDatabase(url: string, connections?: number): Promise<DataSource> {
  const options = databaseOptions(url, connections);
  const file = findDatabaseFile(options);
  if (file) preparePrivateFile(file);
  for (let attempt = 1; ; attempt++) {
    const dataSource = new DataSource(options);
    try {
      await dataSource.initialize();
      await migrate(dataSource);
      return dataSource;
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      if (options.type !== 'postgres' || attempt === POSTGRES_ATTEMPTS || !isOutage(error)) throw error;
      new Logger('Database').warn(`PostgreSQL is unavailable; trying again: ${String(error)}`);
      await pause(RETRY_DELAY_MS);
    }
  }
}

function databaseOptions(url: string, connections: number | undefined): DataSourceOptions {
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length);
    return {
      type: 'better-sqlite3',
      driver: SqliteDatabase,
      database: file === ':memory:' ? file : resolve(file),
      // With write-ahead logging the command line can read and write while the service runs.
      enableWAL: true,
      timeout: SQLITE_OPEN_TIMEOUT_MS,
      // With write-ahead logging a power failure may lose the last transactions but cannot corrupt the file.
      prepareDatabase: (database: SqliteDatabase) => void database.pragma('synchronous = NORMAL'),
      ...TABLES,
    };
  }
  return {
    type: 'postgres',
    url,
    ...(connections !== undefined && { poolSize: connections }),
    connectTimeoutMS: POSTGRES_TIMEOUT_MS,
    extra: { query_timeout: POSTGRES_TIMEOUT_MS },
    ...TABLES,
  };
}

async function migrate(dataSource: DataSource) {
  if (dataSource.options.type !== 'postgres') {
    await dataSource.runMigrations({ transaction: 'all' });
    await dataSource.query('PRAGMA busy_timeout = 0');
    return;
  }
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // On the same connection: there may be no other.
    await new MigrationExecutor(dataSource, lock).executePendingMigrations();
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
  }
}

/** Returns the SQLite file; undefined for PostgreSQL and for a database in memory. */
export function findDatabaseFile(options: DataSourceOptions): string | undefined {
  const isFile = options.type === 'better-sqlite3' && options.database !== ':memory:';
  return isFile ? options.database : undefined;
}

/** Returns a text that changes when the file is replaced; undefined if there is none. A name alone would not tell. */
export function identifyFile(file: string): string | undefined {
  const { dev, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${dev}:${ino}`;
}

/** Readable only by its owner, because it contains e-mail addresses. SQLite gives its log the same permissions. */
function preparePrivateFile(file: string) {
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
