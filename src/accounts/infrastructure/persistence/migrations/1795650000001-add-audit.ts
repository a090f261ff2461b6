import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the audit trail, with a trigger that refuses to change its rows. */
export class AddAudit1795650000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    const text = (name: string, length: string, isNullable = false) => ({
      name,
      type: 'varchar',
      length,
      isNullable,
    });
    await runner.createTable(
      new Table({
        name: 'audit',
        columns: [
          {
            name: 'id',
            type: 'integer',
            isPrimary: true,
            isGenerated: true,
            generationStrategy: 'increment',
          },
          { name: 'at', type: isPostgres ? 'timestamptz' : 'datetime' },
          text('event', '32'),
          text('account_id', '36'),
          text('key_id', '36', true),
          text('detail', '64', true),
          text('actor', '128'),
          text('address', '64', true),
        ],
        indices: [new TableIndex({ name: 'audit_by_time', columnNames: ['at'] })],
      }),
    );
    for (const statement of isPostgres ? POSTGRES_TRIGGER : SQLITE_TRIGGER) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('audit');
    if (runner.dataSource.options.type === 'postgres') {
      await runner.query('DROP FUNCTION refuse_audit_change()');
    }
  }
}

const SQLITE_TRIGGER = [
  `CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit
   BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END`,
];

const POSTGRES_TRIGGER = [
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
   $$ BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END $$`,
  `CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR TRUNCATE ON audit
   FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
];
