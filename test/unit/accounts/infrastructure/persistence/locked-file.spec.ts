/** Danger: another process that holds the lock of the SQLite file. SQLite's own wait blocks the event loop. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { temporaryFile } from '../../../../support/folders';
import { AccountStoreUnavailable } from '../../../../../src/accounts/application/account-repository.port';
import { openDatabase } from '../../../../../src/accounts/infrastructure/persistence/database';
import { SqliteDatabase } from '../../../../../src/accounts/infrastructure/persistence/sqlite-driver';
import { TypeOrmAccountRepository } from '../../../../../src/accounts/infrastructure/persistence/typeorm-account.repository';
import { newAccount } from '../../../../support/accounts';

let dataSource: DataSource;
let accounts: TypeOrmAccountRepository;
let other: SqliteDatabase;
beforeEach(async () => {
  const file = temporaryFile('test.db');
  dataSource = await openDatabase(`sqlite:${file}`);
  accounts = new TypeOrmAccountRepository(dataSource);
  other = new SqliteDatabase(file);
});
// For the service, time passes only when a test says so: on a busy machine its patience would end too early.
const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
afterEach(async () => {
  clock.mockReturnValue(0);
  other.close();
  await dataSource.destroy();
});

const signUp = () => {
  const { account, key } = newAccount();
  return accounts.createAccount(account, key);
};

it('lets SQLite wait for nothing once it is open', async () => {
  expect(await dataSource.query('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }]);
});

it('reads meanwhile, refuses what waits too long without blocking, and works again when it is free', async () => {
  const settled: string[] = [];
  const note = (name: string, work: Promise<unknown>) =>
    work.then(
      () => settled.push(name),
      () => settled.push(`${name} refused`),
    );
  await signUp();
  other.prepare('BEGIN IMMEDIATE').run();
  const signUps = Array.from({ length: 5 }, signUp);
  const refused = Promise.all(signUps.map((each) => note('sign-up', each)));
  await Promise.all([note('read', accounts.findAccount('nobody')), note('timer', pause(50))]);
  clock.mockReturnValue(300);
  await refused;
  expect(settled).toEqual(['read', 'timer', ...Array<string>(5).fill('sign-up refused')]);
  await expect(signUps[0]).rejects.toThrow(AccountStoreUnavailable);
  other.prepare('COMMIT').run();
  expect(await Promise.all([signUp(), signUp()])).toEqual([true, true]);
});

it('does what several asked for when the lock is free in time', async () => {
  other.prepare('BEGIN IMMEDIATE').run();
  const all = Promise.all(Array.from({ length: 5 }, signUp));
  await pause(20);
  other.prepare('COMMIT').run();
  expect(await all).toEqual(Array(5).fill(true));
  expect(await accounts.listAccounts(10)).toHaveLength(5);
});
