import { TableColumn, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const email = { name: 'email', type: 'varchar', length: '254', isUnique: true };

/** Adds accounts without an e-mail address, limited to a number of images and a time. */
export class AddTrials1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const timestamp = runner.dataSource.options.type === 'postgres' ? 'timestamptz' : 'datetime';
    await allowNoEmail(runner, true);
    await runner.addColumns('accounts', [
      new TableColumn({ name: 'trial_images_left', type: 'integer', isNullable: true }),
      new TableColumn({ name: 'trial_expires_at', type: timestamp, isNullable: true }),
    ]);
    await runner.createIndex(
      'accounts',
      new TableIndex({ name: 'accounts_by_trial_expiry', columnNames: ['trial_expires_at'] }),
    );
  }

  /** Deletes trials, because they have no e-mail address. */
  async down(runner: QueryRunner): Promise<void> {
    const trials = 'SELECT id FROM accounts WHERE trial_expires_at IS NOT NULL';
    await runner.query(`DELETE FROM api_keys WHERE account_id IN (${trials})`);
    await runner.query('DELETE FROM accounts WHERE trial_expires_at IS NOT NULL');
    await runner.dropIndex('accounts', 'accounts_by_trial_expiry');
    await runner.dropColumns('accounts', ['trial_expires_at', 'trial_images_left']);
    await allowNoEmail(runner, false);
  }
}

/** On PostgreSQL, TypeORM would drop the column and create a new one: every e-mail address would be lost. */
async function allowNoEmail(runner: QueryRunner, isNullable: boolean): Promise<void> {
  if (runner.dataSource.options.type === 'postgres') {
    await runner.query(`ALTER TABLE accounts ALTER COLUMN email ${isNullable ? 'DROP' : 'SET'} NOT NULL`);
  } else {
    await runner.changeColumn('accounts', 'email', new TableColumn({ ...email, isNullable }));
  }
}
