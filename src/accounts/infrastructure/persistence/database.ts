/** From DATABASE_URL to an open, migrated database. */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { AccountEntity } from './account.entity';
import { ApiKeyEntity } from './api-key.entity';
import { CreateAccounts1764000000000 } from './migrations/1764000000000-create-accounts';

const SCHEMA = {
  entities: [AccountEntity, ApiKeyEntity],
  migrations: [CreateAccounts1764000000000],
  synchronize: false,
};
/** Any number will do as long as nothing else in the database takes the same one. */
const MIGRATION_LOCK = 7_204_113;
const SQLITE_LOCK_TIMEOUT_MS = 250;
/** How long a query may wait for a PostgreSQL server that does not answer, before the caller gets a 503. */
const POSTGRES_TIMEOUT_MS = 5_000;

export function databaseOptions(url: string): DataSourceOptions {
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length);
    return {
      type: 'better-sqlite3',
      database: file === ':memory:' ? file : resolve(file),
      // Write-ahead logging lets the command line read and write while the service runs.
      enableWAL: true,
      // The driver waits for a lock inside the event loop: better a 503 than everybody waiting.
      timeout: SQLITE_LOCK_TIMEOUT_MS,
      // Safe with write-ahead logging: a power cut may lose the last moments, never the file.
      prepareDatabase: (database: Database) => void database.pragma('synchronous = NORMAL'),
      ...SCHEMA,
    };
  }
  return {
    type: 'postgres',
    url,
    connectTimeoutMS: POSTGRES_TIMEOUT_MS,
    extra: { query_timeout: POSTGRES_TIMEOUT_MS },
    ...SCHEMA,
  };
}

/**
 * Opens the database, creating the SQLite file and its folder, and brings the schema up to date. Replicas that
 * start together take turns at the migrations.
 */
export async function openDatabase(options?: DataSourceOptions): Promise<DataSource> {
  if (!options) throw new Error('No database options');
  if (options.type === 'better-sqlite3' && options.database !== ':memory:') {
    mkdirSync(dirname(options.database), { recursive: true });
  }
  const dataSource = await new DataSource(options).initialize();
  try {
    await migrate(dataSource);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type !== 'postgres') {
    await dataSource.runMigrations({ transaction: 'all' });
    return;
  }
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations({ transaction: 'all' });
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
  }
}
