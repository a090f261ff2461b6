import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Creates the tables of stored uploads and results. */
export class CreateOutputs1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    const timestamp = isPostgres ? 'timestamptz' : 'datetime';
    await runner.createTable(
      new Table({
        name: 'tinify_outputs',
        columns: [
          { name: 'digest', type: 'varchar', length: '64', isPrimary: true },
          { name: 'account_id', type: 'varchar', length: '36' },
          { name: 'created_at', type: timestamp },
          { name: 'expires_at', type: timestamp },
          { name: 'is_complete', type: 'boolean' },
          { name: 'format', type: 'varchar', length: '4' },
          { name: 'width', type: 'integer' },
          { name: 'height', type: 'integer' },
          { name: 'upload_bytes', type: 'bigint' },
          { name: 'result_bytes', type: 'bigint' },
          { name: 'held_bytes', type: 'bigint' },
        ],
        indices: [
          new TableIndex({ name: 'tinify_outputs_by_age', columnNames: ['created_at'] }),
          new TableIndex({ name: 'tinify_outputs_by_expiry', columnNames: ['expires_at'] }),
          new TableIndex({
            name: 'tinify_outputs_by_account',
            columnNames: ['account_id', 'created_at'],
          }),
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'tinify_pieces',
        columns: [
          { name: 'digest', type: 'varchar', length: '64', isPrimary: true },
          { name: 'part', type: 'varchar', length: '6', isPrimary: true },
          { name: 'position', type: 'integer', isPrimary: true },
          { name: 'bytes', type: isPostgres ? 'bytea' : 'blob' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('tinify_pieces');
    await runner.dropTable('tinify_outputs');
  }
}
