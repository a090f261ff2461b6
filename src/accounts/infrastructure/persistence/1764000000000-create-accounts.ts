import {
  Table,
  type MigrationInterface,
  type QueryRunner,
  type TableColumnOptions,
  type TableOptions,
} from 'typeorm';

/** Creates the tables of accounts, API keys, usage by month and the audit trail. */
export class CreateAccounts1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    for (const table of tables(isPostgres)) await runner.createTable(new Table(table));
    for (const statement of isPostgres ? POSTGRES_TRIGGER : SQLITE_TRIGGER) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.dataSource.options.type === 'postgres';
    for (const { name } of tables(isPostgres).toReversed()) await runner.dropTable(name);
    if (isPostgres) await runner.query('DROP FUNCTION refuse_audit_change()');
  }
}

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: 'varchar',
  length: String(length),
  isNullable,
});
const key = (name: string, length: number) => ({ ...text(name, length), isPrimary: true });
const integer = (name: string, more: Partial<TableColumnOptions>) => ({ name, type: 'integer', ...more });
const total = (name: string) => ({ name, type: 'bigint', default: 0 });
const TOTALS = ['images', 'bytes_in', 'bytes_saved'].map(total);

function tables(isPostgres: boolean): (TableOptions & { name: string })[] {
  const time = (name: string, isNullable = false) => ({
    name,
    type: isPostgres ? 'timestamptz' : 'datetime',
    isNullable,
  });
  const [createdAt, account] = [time('created_at'), text('account_id', 36)];
  return [
    {
      name: 'accounts',
      columns: [
        ...[key('id', 36), { ...text('email', 254, true), isUnique: true }, text('status', 16), createdAt],
        ...TOTALS,
        ...['quota_images', 'trial_images_left'].map((name) => integer(name, { isNullable: true })),
        time('trial_expires_at', true),
        // The images of the month that are used or reserved.
        ...[text('quota_month', 7, true), integer('quota_used', { default: 0 })],
      ],
      indices: [{ name: 'accounts_by_trial_expiry', columnNames: ['trial_expires_at'] }],
    },
    {
      name: 'api_keys',
      columns: [
        ...[key('id', 36), account, { ...text('digest', 64), isUnique: true }, text('display_prefix', 16)],
        ...[createdAt, time('revoked_at', true)],
      ],
      foreignKeys: [
        { columnNames: ['account_id'], referencedTableName: 'accounts', referencedColumnNames: ['id'] },
      ],
      indices: [{ name: 'api_keys_by_account', columnNames: ['account_id'] }],
    },
    {
      name: 'monthly_usage',
      columns: [key('account_id', 36), key('month', 7), key('key_id', 36), ...TOTALS, total('variants')],
    },
    // The last batch of usage that each process has written.
    { name: 'usage_writers', columns: [key('id', 36), integer('batch', {}), text('month', 7)] },
    {
      name: 'audit',
      columns: [
        integer('id', { isPrimary: true, isGenerated: true, generationStrategy: 'increment' }),
        ...[time('at'), text('event', 32), account, text('key_id', 36, true), text('detail', 64, true)],
        ...[text('actor', 128), text('address', 64, true)],
      ],
      indices: [{ name: 'audit_by_time', columnNames: ['at'] }],
    },
  ];
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
