/**
 * The first migration: accounts, keys and usage. Migrations are never changed once released; a later one
 * changes what they made.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TOTALS = ['images', 'bytes_in', 'bytes_saved']
  .map((name) => `${name} bigint NOT NULL DEFAULT 0`)
  .join(', ');

/** Earlier releases also created a table `audit`; the columns of quotas are still read at the start. */
export class CreateAccounts1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const time = runner.dataSource.options.type === 'postgres' ? 'timestamptz' : 'datetime';
    const statements = [
      `CREATE TABLE accounts (
        id varchar(36) NOT NULL PRIMARY KEY, email varchar(254) UNIQUE, status varchar(16) NOT NULL,
        created_at ${time} NOT NULL, ${TOTALS}, trial_images_left integer, trial_expires_at ${time},
        quota_images integer, quota_month varchar(7), quota_used integer NOT NULL DEFAULT 0)`,
      'CREATE INDEX accounts_by_trial_expiry ON accounts (trial_expires_at)',
      `CREATE TABLE api_keys (
        id varchar(36) NOT NULL PRIMARY KEY, account_id varchar(36) NOT NULL REFERENCES accounts (id),
        digest varchar(64) NOT NULL UNIQUE, display_prefix varchar(16) NOT NULL,
        created_at ${time} NOT NULL, revoked_at ${time})`,
      'CREATE INDEX api_keys_by_account ON api_keys (account_id)',
      `CREATE TABLE monthly_usage (
        account_id varchar(36) NOT NULL, month varchar(7) NOT NULL, key_id varchar(36) NOT NULL, ${TOTALS},
        variants bigint NOT NULL DEFAULT 0, PRIMARY KEY (account_id, month, key_id))`,
      // The last batch of usage that each process has written.
      `CREATE TABLE usage_writers (
        id varchar(36) NOT NULL PRIMARY KEY, batch integer NOT NULL, month varchar(7) NOT NULL)`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['usage_writers', 'monthly_usage', 'api_keys', 'accounts'])
      await runner.dropTable(name);
  }
}
