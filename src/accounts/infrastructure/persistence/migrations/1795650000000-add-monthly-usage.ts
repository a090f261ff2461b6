import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds usage by month, the quotas of accounts, and the last batch of usage that each process has written. The columns have
 * defaults: during an update, processes of the previous version still add accounts.
 */
export class AddMonthlyUsage1795650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const key = (name: string, length: string) => ({ name, type: 'varchar', length, isPrimary: true });
    const total = (name: string) => ({ name, type: 'bigint', default: 0 });
    await runner.createTable(
      new Table({
        name: 'monthly_usage',
        columns: [
          key('account_id', '36'),
          key('month', '7'),
          key('key_id', '36'),
          ...['images', 'bytes_in', 'bytes_saved', 'variants'].map(total),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'usage_writers',
        columns: [
          key('id', '36'),
          { name: 'batch', type: 'integer' },
          { name: 'month', type: 'varchar', length: '7' },
        ],
      }),
    );
    // The images of the month that are used or reserved.
    for (const column of COLUMNS) await runner.query(`ALTER TABLE accounts ADD COLUMN ${column}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      await runner.query(`ALTER TABLE accounts DROP COLUMN ${column.split(' ')[0]}`);
    }
    await runner.dropTable('usage_writers');
    await runner.dropTable('monthly_usage');
  }
}

/** Added without TypeORM, which copies the whole table on SQLite. */
const COLUMNS = ['quota_images integer', 'quota_month varchar(7)', 'quota_used integer NOT NULL DEFAULT 0'];
