/** Trial accounts in every database. */
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
