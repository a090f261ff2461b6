/** With SQLite the bytes of outputs become files, so their columns stay empty; see output-files.ts. */
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outputs of earlier releases live for an hour, so they are deleted. PostgreSQL reads pieces of a value alone, and keeps them. */
export class EmptyOutputs1798000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type !== 'postgres') await runner.query('DELETE FROM tinify_outputs');
  }

  /** Earlier releases would send empty images. */
  down = (runner: QueryRunner) => this.up(runner);
}
