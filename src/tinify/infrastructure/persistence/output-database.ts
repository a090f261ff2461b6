import type { Schema } from '../../../accounts/infrastructure/persistence/database';
import { CreateOutputs1795400000000 } from './1795400000000-create-outputs';
import { OutputEntity } from './output.entity';

/** Created only by services that have TINIFY_API on; accounts have their own list of migrations. */
export const OUTPUT_TABLES: Schema = {
  entities: [OutputEntity],
  migrations: [CreateOutputs1795400000000],
  migrationsTableName: 'tinify_migrations',
};

/**
 * Returns the URL of the database of outputs: for SQLite a file beside the accounts' file. Images would bloat the accounts'
 * file, and a transaction on one connection would make a write on another fail.
 */
export function outputDatabaseUrl(databaseUrl: string): string {
  if (!databaseUrl.startsWith('sqlite:') || databaseUrl === 'sqlite::memory:') return databaseUrl;
  return `${databaseUrl.replace(/\.\w+$/, '')}-tinify.db`;
}
