import { rmSync } from 'node:fs';
import { Table, type MigrationInterface, type QueryRunner, type TableColumnOptions } from 'typeorm';

/** Outputs of earlier releases, in a file of their own with SQLite, lived for an hour, so they are deleted. */
export class CreateOutputs1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { options } = runner.dataSource;
    const isPostgres = options.type === 'postgres';
    for (const name of ['tinify_pieces', 'tinify_outputs', 'tinify_migrations'])
      await runner.query(`DROP TABLE IF EXISTS ${name}`);
    if (options.type === 'better-sqlite3')
      for (const end of ['', '-wal', '-shm'])
        rmSync(`${options.database.replace(/\.\w+$/, '')}-tinify.db${end}`, { force: true });
    const column = (name: string, type: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type,
      ...more,
    });
    const bytes = isPostgres ? 'bytea' : 'blob';
    const integers = ['width', 'height', 'upload_bytes', 'result_bytes'];
    await runner.createTable(
      new Table({
        name: 'tinify_outputs',
        columns: [
          column('digest', 'varchar', { length: '64', isPrimary: true }),
          column('account_id', 'varchar', { length: '36' }),
          column('format', 'varchar', { length: '4' }),
          ...integers.map((name) => column(name, 'integer')),
          ...['expires_at', 'held_bytes'].map((name) => column(name, 'bigint')),
          // The last columns: with SQLite the others are read without them.
          column('upload', bytes),
          column('result', bytes, { isNullable: true }),
        ],
      }),
    );
    // Uncompressed, so that pieces can be read alone.
    if (isPostgres)
      for (const name of ['upload', 'result'])
        await runner.query(`ALTER TABLE tinify_outputs ALTER COLUMN ${name} SET STORAGE EXTERNAL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('tinify_outputs');
  }
}
