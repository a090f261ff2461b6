/** Room for the longer names that formats of packages may have. */
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names of formats from packages have up to 16 characters. SQLite enforces no length. */
export class WidenOutputFormat1797000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type === 'postgres')
      await runner.query('ALTER TABLE tinify_outputs ALTER COLUMN format TYPE varchar(16)');
  }

  /** Earlier releases can use the wider column. */
  down = () => Promise.resolve();
}
