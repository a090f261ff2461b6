/** The tables of stored uploads and results: one for their facts, and `tinify_pieces` for their bytes. */
import {
  Column,
  Entity,
  PrimaryColumn,
  Table,
  type MigrationInterface,
  type QueryRunner,
  type TableColumnOptions,
} from 'typeorm';
import type { Schema } from '../../../accounts/infrastructure/persistence/database';
import type { ResultFormatName } from '../../../contract/formats';
import { text, total } from '../../../accounts/infrastructure/persistence/entities';

@Entity('tinify_outputs')
export class OutputEntity {
  @PrimaryColumn(text(64)) digest!: string;
  @Column(text(36, 'account_id')) accountId!: string;
  @Column({ name: 'created_at', type: Date }) createdAt!: Date;
  @Column({ name: 'expires_at', type: Date }) expiresAt!: Date;
  /** False while the pieces are being written. */
  @Column({ name: 'is_complete', type: Boolean }) isComplete!: boolean;
  @Column(text(4)) format!: ResultFormatName;
  @Column({ type: 'integer' }) width!: number;
  @Column({ type: 'integer' }) height!: number;
  @Column({ name: 'upload_bytes', ...total }) uploadBytes!: number;
  @Column({ name: 'result_bytes', ...total }) resultBytes!: number;
  /** Bytes that it counts in the bound of the store. */
  @Column({ name: 'held_bytes', ...total }) heldBytes!: number;
}

/** Creates the tables of stored uploads and results. */
class CreateOutputs1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    const time = isPostgres ? 'timestamptz' : 'datetime';
    const column = (name: string, type: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type,
      ...more,
    });
    const text = (name: string, length: number, isPrimary = false) =>
      column(name, 'varchar', { length: String(length), isPrimary });
    await runner.createTable(
      new Table({
        name: 'tinify_outputs',
        columns: [
          ...[text('digest', 64, true), text('account_id', 36)],
          ...[column('created_at', time), column('expires_at', time), column('is_complete', 'boolean')],
          ...[text('format', 4), column('width', 'integer'), column('height', 'integer')],
          ...['upload_bytes', 'result_bytes', 'held_bytes'].map((name) => column(name, 'bigint')),
        ],
        indices: [
          { name: 'tinify_outputs_by_age', columnNames: ['created_at'] },
          { name: 'tinify_outputs_by_expiry', columnNames: ['expires_at'] },
          { name: 'tinify_outputs_by_account', columnNames: ['account_id', 'created_at'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'tinify_pieces',
        columns: [
          ...[
            text('digest', 64, true),
            text('part', 6, true),
            column('position', 'integer', { isPrimary: true }),
          ],
          column('bytes', isPostgres ? 'bytea' : 'blob'),
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('tinify_pieces');
    await runner.dropTable('tinify_outputs');
  }
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
