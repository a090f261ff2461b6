/** The table of stored uploads and results; their bytes are in `tinify_pieces`. */
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { total } from '../../../accounts/infrastructure/persistence/account.entity';
import type { Schema } from '../../../accounts/infrastructure/persistence/database';
import type { ResultFormatName } from '../../../contract/formats';
import { CreateOutputs1795400000000 } from './1795400000000-create-outputs';

@Entity('tinify_outputs')
export class OutputEntity {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  digest!: string;

  @Column({ name: 'account_id', type: 'varchar', length: 36 })
  accountId!: string;

  @Column({ name: 'created_at', type: Date })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: Date })
  expiresAt!: Date;

  /** False while the pieces are being written. */
  @Column({ name: 'is_complete', type: Boolean })
  isComplete!: boolean;

  @Column({ type: 'varchar', length: 4 })
  format!: ResultFormatName;

  @Column({ type: 'integer' })
  width!: number;

  @Column({ type: 'integer' })
  height!: number;

  @Column({ name: 'upload_bytes', ...total })
  uploadBytes!: number;

  @Column({ name: 'result_bytes', ...total })
  resultBytes!: number;

  /** Bytes that it counts in the bound of the store. */
  @Column({ name: 'held_bytes', ...total })
  heldBytes!: number;
}

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
