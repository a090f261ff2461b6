/** Danger: another process that holds the lock of the SQLite file. SQLite's own wait blocks the event loop. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { AccountStoreUnavailable } from '../../../../../src/accounts/application/account-repository.port';
import {
  databaseOptions,
  openDatabase,
} from '../../../../../src/accounts/infrastructure/persistence/database';
import { SqliteDatabase } from '../../../../../src/accounts/infrastructure/persistence/sqlite-driver';
import { TypeOrmAccountRepository } from '../../../../../src/accounts/infrastructure/persistence/typeorm-account.repository';
import { OutputStoreUnavailable } from '../../../../../src/tinify/application/output-store.port';
import { OUTPUT_TABLES } from '../../../../../src/tinify/infrastructure/persistence/output-database';
import { TypeOrmOutputStore } from '../../../../../src/tinify/infrastructure/persistence/typeorm-output-store';
import { newAccount } from '../../../../support/accounts';

const opened: DataSource[] = [];
const others: SqliteDatabase[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) other.close();
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
});

/** Opens a new file, and another process's connection to it. */
async function newFile(
  schema?: typeof OUTPUT_TABLES,
): Promise<{ dataSource: DataSource; other: SqliteDatabase }> {
  const file = join(mkdtempSync(join(tmpdir(), 'ics-lock-')), 'test.db');
  const dataSource = await openDatabase(databaseOptions(`sqlite:${file}`, schema));
  const other = new SqliteDatabase(file);
  opened.push(dataSource);
  others.push(other);
  return { dataSource, other };
}

/** Notes in which order promises settle. */
function order() {
  const settled: string[] = [];
  const note = (name: string, work: Promise<unknown>) =>
    work.then(
      () => settled.push(name),
      () => settled.push(`${name} refused`),
    );
  return { settled, note };
}

it('lets SQLite wait for nothing once it is open', async () => {
  const { dataSource } = await newFile();
  expect(await dataSource.query('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }]);
});

it('waits once for the lock, reads meanwhile, refuses others at once, and works again when it is free', async () => {
  const { dataSource, other } = await newFile();
  const accounts = new TypeOrmAccountRepository(dataSource);
  const signUp = () => {
    const { account, key } = newAccount();
    return accounts.createAccount(account, key);
  };
  other.prepare('BEGIN IMMEDIATE').run();
  const { settled, note } = order();
  const first = signUp();
  await Promise.all([note('first', first), note('read', accounts.findAccount('nobody'))]);
  await expect(first).rejects.toThrow(AccountStoreUnavailable);
  await Promise.all([note('timer', pause(200)), ...[1, 2, 3].map(() => note('later', signUp()))]);
  expect(settled).toEqual(['read', 'first refused', ...Array<string>(3).fill('later refused'), 'timer']);
  other.prepare('COMMIT').run();
  expect(await Promise.all([signUp(), signUp()])).toEqual([true, true]);
});

it('does what several asked for when the lock is free in time', async () => {
  const { dataSource, other } = await newFile();
  const accounts = new TypeOrmAccountRepository(dataSource);
  const made = Array.from({ length: 5 }, newAccount);
  other.prepare('BEGIN IMMEDIATE').run();
  const all = Promise.all(made.map(({ account, key }) => accounts.createAccount(account, key)));
  await pause(20);
  other.prepare('COMMIT').run();
  expect(await all).toEqual(made.map(() => true));
  expect(await accounts.listAccounts(10)).toHaveLength(5);
});

it('the store of outputs does the same', async () => {
  const { dataSource, other } = await newFile(OUTPUT_TABLES);
  const store = new TypeOrmOutputStore(dataSource, { totalBytes: 1e6, accountBytes: 1e6 });
  const output = {
    digest: 'a'.repeat(64),
    accountId: 'one',
    expiresAt: new Date(Date.now() + 60_000),
    format: 'jpeg' as const,
    width: 1,
    height: 1,
    uploadBytes: 1,
    resultBytes: 0,
  };
  const add = () => store.add(output, { upload: new Uint8Array(1) });
  other.prepare('BEGIN IMMEDIATE').run();
  const { settled, note } = order();
  const first = add();
  await Promise.all([note('first', first), note('read', store.find(output.digest, new Date()))]);
  await expect(first).rejects.toThrow(OutputStoreUnavailable);
  await Promise.all([note('timer', pause(200)), note('later', add())]);
  expect(settled).toEqual(['read', 'first refused', 'later refused', 'timer']);
  other.prepare('COMMIT').run();
  expect(await add()).toBe(true);
});
