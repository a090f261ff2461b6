/** What TypeORM and the accounts rely on, on the Node.js that runs this test. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from '../../../../support/folders';
import { SqliteDatabase } from '../../../../../src/accounts/infrastructure/persistence/sqlite-driver';

const newFile = () => temporaryFile('test.db');

function codeOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

it('contains the fix for logs that are reset while another process writes', () => {
  const [row] = new SqliteDatabase(':memory:').prepare('SELECT sqlite_version() AS version').all();
  const [major = 0, minor = 0, patch = 0] = (row as { version: string }).version.split('.').map(Number);
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
});

it('returns bytes, empty values and large numbers as they were written', () => {
  const database = new SqliteDatabase(':memory:');
  const bytes = Buffer.of(0, 255, 1);
  for (const value of [bytes, null, Number.MAX_SAFE_INTEGER, 'ä']) {
    expect(database.prepare('SELECT ? AS value').all(value)).toEqual([
      { value: value instanceof Buffer ? new Uint8Array(value) : value },
    ]);
  }
});

it('tells a unique violation, a lock and a missing folder apart', () => {
  const file = newFile();
  const [one, other] = [new SqliteDatabase(file, { timeout: 20 }), new SqliteDatabase(file, { timeout: 20 })];
  one.prepare('CREATE TABLE names (name TEXT UNIQUE)').run();
  const insert = one.prepare('INSERT INTO names VALUES (?)');
  expect(insert.reader).toBe(false);
  expect(insert.run('a').changes).toBe(1);
  expect(codeOf(() => insert.run('a'))).toBe('SQLITE_CONSTRAINT_UNIQUE');
  one.prepare('BEGIN IMMEDIATE').run();
  expect(codeOf(() => other.prepare('BEGIN IMMEDIATE').run())).toBe('SQLITE_BUSY');
  expect(codeOf(() => new SqliteDatabase('/missing/folder/test.db'))).toBe('SQLITE_CANTOPEN');
});

it('empties the write-ahead log when it closes, whatever statements are left', () => {
  const file = newFile();
  const database = new SqliteDatabase(file);
  database.pragma('journal_mode = WAL');
  database.prepare('CREATE TABLE names (name TEXT)').run();
  const statements = [
    database.prepare('SELECT * FROM names'),
    database.prepare('INSERT INTO names VALUES (1)'),
  ];
  for (const statement of statements) if (!statement.reader) statement.run();
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  database.close();
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  expect(statements[0]?.reader).toBe(true);
});

it('is the only SQLite of an installation, and nothing of it is compiled', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  const drivers = installed.filter(([path]) => /(sqlite|libsql)[^/]*$/.test(path)).map(([path]) => path);
  expect(drivers).toEqual(['node_modules/@photostructure/sqlite']);
  // Its script looks for the binary of the platform, and compiles only if there is none.
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(withScripts).toEqual(drivers);
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])
    statSync(join('node_modules/@photostructure/sqlite/prebuilds', platform));
});

it('rolls back nothing without an error: SQLite may have ended the transaction on a full disk', () => {
  const database = new SqliteDatabase(':memory:');
  database.prepare('BEGIN').run();
  database.prepare('ROLLBACK').run();
  expect(database.prepare('ROLLBACK').run().changes).toBe(0);
  expect(() => database.prepare('COMMIT').run()).toThrow('no transaction is active');
});
