/** Trial accounts in every database, and the migration that adds them. */
import type { DataSource } from 'typeorm';
import type { AccountRepository } from '../../src/accounts/application/account-repository.port';
import type { UsageRepository } from '../../src/accounts/application/usage-repository.port';
import { databaseOptions, openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { TypeOrmAccountRepository } from '../../src/accounts/infrastructure/persistence/typeorm-account.repository';
import { TypeOrmUsageRepository } from '../../src/accounts/infrastructure/persistence/typeorm-usage.repository';
import { batchOf, newAccount, newTrial } from '../support/accounts';
import { onEachDatabase } from '../support/databases';

onEachDatabase((url) => {
  let dataSource: DataSource;
  let accounts: AccountRepository;
  let usage: UsageRepository;
  beforeAll(async () => {
    dataSource = await openDatabase(databaseOptions(url()));
    accounts = new TypeOrmAccountRepository(dataSource);
    usage = new TypeOrmUsageRepository(dataSource);
  });
  afterAll(() => dataSource.destroy());

  it('counts the images of a trial under concurrency, and those of no other account', async () => {
    const { account, key } = newTrial({ imagesLeft: 3, expiresAt: new Date('2030-01-01T00:00:00Z') });
    expect(await accounts.createAccount(account, key)).toBe(true);
    expect(await accounts.findKeyByDigest(key.digest)).toEqual({ key, account });
    const claims = await Promise.all(Array.from({ length: 8 }, () => usage.takeTrialImages(account.id, 1)));
    expect(claims.filter(Boolean)).toHaveLength(3);
    expect((await accounts.findAccount(account.id))?.trial?.imagesLeft).toBe(0);
    await usage.add(batchOf(account.id, { month: '2026-11', returned: 2 }));
    expect(await usage.takeTrialImages(account.id, 3)).toBe(false);
    expect(await usage.takeTrialImages(account.id, 2)).toBe(true);

    const ordinary = newAccount();
    await accounts.createAccount(ordinary.account, ordinary.key);
    expect(await usage.takeTrialImages(ordinary.account.id, 1)).toBe(false);
    expect(await usage.takeTrialImages('nobody', 1)).toBe(false);
    await usage.add(batchOf(ordinary.account.id, { month: '2026-11', returned: 1 }));
    expect(await accounts.findAccount(ordinary.account.id)).toEqual(ordinary.account);
  });

  it('deletes expired trials with their keys, the oldest first', async () => {
    const [first, second, live] = ['2020-01-01', '2020-01-02', '2020-01-09'].map((day) =>
      newTrial({ imagesLeft: 3, expiresAt: new Date(day) }),
    );
    const ordinary = newAccount();
    for (const { account, key } of [first, second, live, ordinary]) {
      await accounts.createAccount(account, key);
      await usage.add(batchOf(account.id, { month: '2020-01', images: 1 }));
    }
    const imagesOf = ({ account }: { account: { id: string } }) => usage.imagesOf(account.id, '2020-01');
    const threshold = new Date('2020-01-05');
    expect(await accounts.purgeTrials(threshold, 1)).toBe(1);
    expect(await accounts.findAccount(first.account.id)).toBeUndefined();
    expect(await accounts.findKeyByDigest(first.key.digest)).toBeUndefined();
    expect(await accounts.purgeTrials(threshold, 10)).toBe(1);
    expect(await accounts.purgeTrials(threshold, 10)).toBe(0);
    expect(await accounts.findAccount(second.account.id)).toBeUndefined();
    expect(await accounts.findAccount(live.account.id)).toMatchObject({ id: live.account.id });
    expect(await accounts.findAccount(ordinary.account.id)).toMatchObject({ id: ordinary.account.id });
    expect(await Promise.all([first, second, live, ordinary].map(imagesOf))).toEqual([0, 0, 1, 1]);
  });
});

onEachDatabase((url) => {
  it('keeps accounts of the previous version through the migration in both directions', async () => {
    const before = await openDatabase(databaseOptions(url()));
    // Those of usage by month, the audit trail, and trials.
    for (let undone = 0; undone < 3; undone++) await before.undoLastMigration();
    await before.query(
      "INSERT INTO accounts (id, email, status, created_at) VALUES ('old', 'old@example.com', 'active', '2026-01-01 00:00:00')",
    );
    await before.query(
      "INSERT INTO api_keys (id, account_id, digest, display_prefix, created_at) VALUES ('k', 'old', 'd', 'ics_a', '2026-01-01 00:00:00')",
    );
    await before.destroy();
    const after = await openDatabase(databaseOptions(url()));
    const accounts = new TypeOrmAccountRepository(after);
    expect((await accounts.findKeyByDigest('d'))?.account).toMatchObject({
      id: 'old',
      email: 'old@example.com',
    });
    const { account, key } = newAccount();
    expect(await accounts.createAccount({ ...account, email: 'old@example.com' }, key)).toBe(false);
    // Keys still refer to accounts.
    await expect(after.query("DELETE FROM accounts WHERE id = 'old'")).rejects.toThrow(/foreign key/i);
    await after.destroy();
  });
});
