/** One suite for every place where accounts can be kept. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { AccountRepository } from '../../src/accounts/application/account-repository.port';
import type { Account, StoredKey } from '../../src/accounts/domain/account';
import { databaseOptions, openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { TypeOrmAccountRepository } from '../../src/accounts/infrastructure/persistence/typeorm-account.repository';
import { postgresUrl, withFreshDatabase } from '../support/services';

async function runSuite(url: string): Promise<void> {
  const dataSource = await openDatabase(databaseOptions(url));
  const accounts = new TypeOrmAccountRepository(dataSource);
  try {
    await createsAndFinds(accounts);
    await refusesTheSameAddressTwice(accounts);
    await keepsSeveralKeysAndRevokesOne(accounts);
    await suspendsAndResumes(accounts);
    await addsUpUsageUnderConcurrency(accounts);
    await migratesOnceHoweverOften(url, dataSource);
  } finally {
    await dataSource.destroy();
  }
}

let made = 0;
function newAccount(): { account: Account; key: StoredKey } {
  const id = `account-${++made}`;
  const createdAt = new Date('2026-03-01T12:00:00Z');
  const usage = { images: 0, bytesIn: 0, bytesSaved: 0 };
  return {
    account: { id, email: `${id}@example.com`, status: 'active', createdAt, usage },
    key: newKey(id),
  };
}

function newKey(accountId: string): StoredKey {
  const id = `key-${++made}`;
  return {
    id,
    accountId,
    digest: id.padEnd(64, '0'),
    displayPrefix: 'ics_abcdef',
    createdAt: new Date(made * 1000),
  };
}

async function createsAndFinds(accounts: AccountRepository): Promise<void> {
  const { account, key } = newAccount();
  expect(await accounts.createAccount(account, key)).toBe(true);
  expect(await accounts.findAccount(account.id)).toEqual(account);
  expect(await accounts.findAccount(account.email)).toEqual(account);
  expect(await accounts.findKeyByDigest(key.digest)).toEqual({ key, account });
  expect(await accounts.findAccount('nobody')).toBeUndefined();
  expect(await accounts.findKeyByDigest('f'.repeat(64))).toBeUndefined();
}

async function refusesTheSameAddressTwice(accounts: AccountRepository): Promise<void> {
  const first = newAccount();
  const second = newAccount();
  await accounts.createAccount(first.account, first.key);
  const sameAddress = { ...second.account, email: first.account.email };
  expect(await accounts.createAccount(sameAddress, second.key)).toBe(false);
  // Nothing of the refused account stays behind, its key neither.
  expect(await accounts.findAccount(second.account.id)).toBeUndefined();
  expect(await accounts.findKeyByDigest(second.key.digest)).toBeUndefined();
}

async function keepsSeveralKeysAndRevokesOne(accounts: AccountRepository): Promise<void> {
  const { account, key } = newAccount();
  const other = newAccount();
  await accounts.createAccount(account, key);
  await accounts.createAccount(other.account, other.key);
  const second = newKey(account.id);
  await accounts.addKey(second);
  expect(await accounts.listKeys(account.id)).toEqual([key, second]);
  const at = new Date('2026-04-01T00:00:00Z');
  expect(await accounts.revokeKey(other.key.id, at, account.id)).toBe(false);
  expect(await accounts.revokeKey(second.id, at, account.id)).toBe(true);
  expect(await accounts.revokeKey(second.id, at, account.id)).toBe(false);
  expect(await accounts.listKeys(account.id)).toEqual([key, { ...second, revokedAt: at }]);
  expect(await accounts.revokeKey(other.key.id, at)).toBe(true);
}

async function suspendsAndResumes(accounts: AccountRepository): Promise<void> {
  const { account, key } = newAccount();
  await accounts.createAccount(account, key);
  expect(await accounts.setStatus(account.id, 'suspended')).toBe(true);
  expect((await accounts.findKeyByDigest(key.digest))?.account.status).toBe('suspended');
  expect(await accounts.setStatus(account.id, 'active')).toBe(true);
  expect(await accounts.setStatus('nobody', 'active')).toBe(false);
}

async function addsUpUsageUnderConcurrency(accounts: AccountRepository): Promise<void> {
  const { account, key } = newAccount();
  await accounts.createAccount(account, key);
  const used = { images: 1, bytesIn: 3_000_000_000, bytesSaved: 1_000_000_000 };
  await Promise.all(Array.from({ length: 20 }, () => accounts.addUsage(account.id, used)));
  const found = await accounts.findAccount(account.id);
  expect(found?.usage).toEqual({ images: 20, bytesIn: 60_000_000_000, bytesSaved: 20_000_000_000 });
}

async function migratesOnceHoweverOften(url: string, dataSource: DataSource): Promise<void> {
  const others = await Promise.all([1, 2, 3].map(() => openDatabase(databaseOptions(url))));
  const applied: { name: string }[] = await dataSource.query('SELECT name FROM migrations');
  expect(applied).toHaveLength(1);
  await Promise.all(others.map((other) => other.destroy()));
}

it('SQLite, in a file', () =>
  runSuite(`sqlite:${join(mkdtempSync(join(tmpdir(), 'ics-db-')), 'new', 'a.db')}`));

it('PostgreSQL', async () => {
  const server = await postgresUrl();
  if (server) await withFreshDatabase(server, runSuite);
});

it('PostgreSQL, three replicas that start on an empty database at once', async () => {
  const server = await postgresUrl();
  if (!server) return;
  await withFreshDatabase(server, async (url) => {
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(databaseOptions(url))));
    await Promise.all(opened.map((dataSource) => dataSource.destroy()));
  });
});
