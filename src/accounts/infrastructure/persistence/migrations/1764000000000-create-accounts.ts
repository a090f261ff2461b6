import { Table, TableForeignKey, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Creates the tables of accounts, with their usage totals, and of API keys. */
export class CreateAccounts1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const timestamp = runner.dataSource.options.type === 'postgres' ? 'timestamptz' : 'datetime';
    const total = { type: 'bigint', default: 0 };
    await runner.createTable(
      new Table({
        name: 'accounts',
        columns: [
          { name: 'id', type: 'varchar', length: '36', isPrimary: true },
          { name: 'email', type: 'varchar', length: '254', isUnique: true },
          { name: 'status', type: 'varchar', length: '16' },
          { name: 'created_at', type: timestamp },
          { name: 'images', ...total },
          { name: 'bytes_in', ...total },
          { name: 'bytes_saved', ...total },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'api_keys',
        columns: [
          { name: 'id', type: 'varchar', length: '36', isPrimary: true },
          { name: 'account_id', type: 'varchar', length: '36' },
          { name: 'digest', type: 'varchar', length: '64', isUnique: true },
          { name: 'display_prefix', type: 'varchar', length: '16' },
          { name: 'created_at', type: timestamp },
          { name: 'revoked_at', type: timestamp, isNullable: true },
        ],
        foreignKeys: [
          new TableForeignKey({
            columnNames: ['account_id'],
            referencedTableName: 'accounts',
            referencedColumnNames: ['id'],
          }),
        ],
        indices: [new TableIndex({ name: 'api_keys_by_account', columnNames: ['account_id'] })],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('api_keys');
    await runner.dropTable('accounts');
  }
}
