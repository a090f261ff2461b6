/**
 * The table of Tinify's outputs: an upload with its result. It lies in the database of the accounts, so that
 * replicas share it.
 */
import { rmSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

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
    const bytes = isPostgres ? 'bytea' : 'blob';
    // The bytes are the last columns: with SQLite the others are read without them.
    await runner.query(
      `CREATE TABLE tinify_outputs (
        digest varchar(64) NOT NULL PRIMARY KEY, account_id varchar(36) NOT NULL, format varchar(4) NOT NULL,
        width integer NOT NULL, height integer NOT NULL,
        upload_bytes integer NOT NULL, result_bytes integer NOT NULL,
        expires_at bigint NOT NULL, held_bytes bigint NOT NULL, upload ${bytes} NOT NULL, result ${bytes})`,
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
