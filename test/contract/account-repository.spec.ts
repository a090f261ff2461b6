import type { Account, StoredKey } from '../../src/accounts/domain/account';
import { openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { newAccount, newKey } from '../support/accounts';
import { type AccountStore, onEachAccountStore, onEachDatabase } from '../support/databases';
import { freshDatabase, postgresUrl } from '../support/services';

onEachAccountStore((store, url) => {
  let accounts: AccountStore['accounts'];
  beforeAll(() => void ({ accounts } = store));

  const storedAccount = async () => {
    const made = newAccount();
    await accounts.createAccount(made.account, made.key);
    return made;
  };

  it('finds an account by id, address and key, and nothing else', async () => {
    const { account, key } = newAccount();
    expect(await accounts.createAccount(account, key)).toBe(true);
    expect(await accounts.findAccount(account.id)).toEqual(account);
    expect(await accounts.findAccount(account.email)).toEqual(account);
    expect(await accounts.findKeyByDigest(key.digest)).toEqual({ key, account });
    expect(await accounts.findAccount('nobody')).toBeUndefined();
    expect(await accounts.findKeyByDigest('f'.repeat(64))).toBeUndefined();
  });

  it('refuses a second account with the same address, and keeps nothing of it', async () => {
    const first = await storedAccount();
    const second = newAccount();
    const sameAddress = { ...second.account, email: first.account.email };
    expect(await accounts.createAccount(sameAddress, second.key)).toBe(false);
    expect(await accounts.findAccount(second.account.id)).toBeUndefined();
    expect(await accounts.findKeyByDigest(second.key.digest)).toBeUndefined();
  });

  /** SQLite has one connection: a refused sign-up must not roll back others. */
  it('does not undo other sign-ups when one is refused', async () => {
    const taken = await storedAccount();
    const made = Array.from({ length: 12 }, newAccount);
    const outcomes = made.map(({ account, key }, i) =>
      accounts.createAccount(i % 2 ? { ...account, email: taken.account.email } : account, key),
    );
    expect(await Promise.all(outcomes)).toEqual(made.map((_, i) => i % 2 === 0));
    const found = await Promise.all(made.map(({ key }) => accounts.findKeyByDigest(key.digest)));
    expect(found.map(Boolean)).toEqual(made.map((_, i) => i % 2 === 0));
  });

  it('keeps several keys of an account, and revokes only its own', async () => {
    const { account, key } = await storedAccount();
    const other = await storedAccount();
    const second = newKey(account.id);
    expect(await accounts.addKey(second)).toBe('added');
    expect(await accounts.addKey(newKey('nobody'))).toBe('no_account');
    expect(await accounts.listKeys(account.id, 100)).toEqual([key, second]);
    const at = new Date('2026-04-01T00:00:00Z');
    const revoke = (id: string) => accounts.revokeKey(id, at, account.id);
    expect(await revoke(other.key.id)).toBeUndefined();
    expect(await revoke(second.id)).toBe(account.id);
    expect(await revoke(second.id)).toBeUndefined();
    expect(await accounts.listKeys(account.id, 100)).toEqual([key, { ...second, revokedAt: at }]);
  });

  it('limits active keys, also under concurrency', async () => {
    const { account, key } = await storedAccount();
    const add = () => accounts.addKey(newKey(account.id));
    const outcomes = await Promise.all(Array.from({ length: 24 }, add));
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(19);
    expect(outcomes.filter((outcome) => outcome === 'too_many')).toHaveLength(5);
    expect(await accounts.listKeys(account.id, 100)).toHaveLength(20);
    await accounts.revokeKey(key.id, new Date());
    expect(await add()).toBe('added');
  });

  it('forgets the oldest revoked keys', async () => {
    const { account, key } = await storedAccount();
    const keys = Array.from({ length: 23 }, () => newKey(account.id));
    for (const [i, each] of keys.entries()) {
      await accounts.addKey(each);
      const at = new Date(Date.UTC(2026, 5, 1 + i));
      await accounts.revokeKey(each.id, at, account.id);
    }
    const last = newKey(account.id);
    await accounts.addKey(last);
    const listed = (await accounts.listKeys(account.id, 100)).map(({ id }) => id);
    expect(listed).toEqual([key, ...keys.slice(3), last].map(({ id }) => id));
  });

  it('lists keys in pages, also keys of the same time', async () => {
    const { account } = await storedAccount();
    // Two keys of the same time are ordered by id.
    const createdAt = new Date('2027-01-01T00:00:00.123Z');
    const keys = [newKey(account.id), newKey(account.id)].map((each) => ({ ...each, createdAt }));
    for (const each of keys) await accounts.addKey(each);
    const all = await accounts.listKeys(account.id, 100);
    expect(all).toHaveLength(3);
    const paged = [];
    for (let after = undefined; ; after = paged.at(-1)) {
      const page: StoredKey[] = await accounts.listKeys(account.id, 1, after);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
  });

  it('lists accounts in pages', async () => {
    for (let i = 0; i < 3; i++) await storedAccount();
    const all = await accounts.listAccounts(1000);
    expect(all.length).toBeGreaterThanOrEqual(3);
    const paged: Account[] = [];
    for (let page = await accounts.listAccounts(2); page.length > 0;) {
      expect(page.length).toBeLessThanOrEqual(2);
      paged.push(...page);
      page = await accounts.listAccounts(2, page.at(-1)?.email);
    }
    expect(paged).toEqual(all);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('never leaves a key without its account', async () => {
    const { account } = await storedAccount();
    const removal = store.dataSource.query(`DELETE FROM accounts WHERE id = '${account.id}'`);
    await expect(removal).rejects.toThrow(/foreign key/i);
  });

  it('applies each migration once, even if several processes start at the same time', async () => {
    const others = await Promise.all([1, 2, 3].map(() => openDatabase(url())));
    const applied: { name: string }[] = await store.dataSource.query('SELECT name FROM migrations');
    expect(applied).toHaveLength(store.dataSource.migrations.length);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
    await Promise.all(others.map((other) => other.destroy()));
  });
});

onEachDatabase((url) => {
  it('removes all tables with its migrations, and creates them again', async () => {
    const before = await openDatabase(url());
    for (let left = before.migrations.length; left > 0; left--) await before.undoLastMigration();
    await expect(before.query('SELECT id FROM accounts')).rejects.toThrow();
    await before.destroy();
    const after = await openDatabase(url());
    expect(await after.query('SELECT id FROM accounts')).toEqual([]);
    await after.destroy();
  });
});

const postgres = postgresUrl();

(postgres ? it : it.skip)(
  'lets three replicas start at the same time on an empty PostgreSQL database',
  async () => {
    const { url, drop } = await freshDatabase(postgres ?? '');
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(url)));
    const applied: object[] = await opened[0].query('SELECT name FROM migrations');
    expect(applied).toHaveLength(opened[0].migrations.length);
    await Promise.all(opened.map((dataSource) => dataSource.destroy()));
    await drop();
  },
);
