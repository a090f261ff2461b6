import type { Account } from '../../src/accounts/domain/account';
import { batchOf, newAccount, newTrial } from '../support/accounts';
import { type AccountStore, onEachAccountStore } from '../support/databases';

const ALL = { from: '2000-01', to: '2999-12' };
const month = '2026-11';

onEachAccountStore((store) => {
  let accounts: AccountStore['accounts'];
  beforeAll(() => void ({ accounts } = store));

  let id: string;
  beforeEach(async () => {
    const { account, key } = newAccount();
    await accounts.createAccount(account, key);
    id = account.id;
  });

  const imagesOf = async (accountId: string, of: string) =>
    (await accounts.listUsage(accountId, { from: of, to: of }, 100)).reduce(
      (sum, { images }) => sum + images,
      0,
    );
  const used = { images: 1, bytesIn: 3_000_000_000, bytesSaved: 1_000_000_000 };

  it('adds up totals and months under concurrency', async () => {
    const additions = Array.from({ length: 20 }, (_, i) =>
      accounts.addUsage({
        ...batchOf(id, { ...used, keyId: `k${i % 2}`, month: i < 4 ? '2026-10' : month }),
        writer: `w${i}`,
      }),
    );
    await Promise.all(additions);
    const totals = { images: 20, bytesIn: 60_000_000_000, bytesSaved: 20_000_000_000 };
    expect((await accounts.findAccount(id))?.usage).toEqual(totals);
    const row = (of: string, keyId: string, images: number) => {
      const [bytesIn, bytesSaved] = [images * 3_000_000_000, images * 1_000_000_000];
      return { month: of, keyId, images, bytesIn, bytesSaved };
    };
    expect(await accounts.listUsage(id, ALL, 100)).toEqual([
      row('2026-10', 'k0', 2),
      row('2026-10', 'k1', 2),
      row(month, 'k0', 8),
      row(month, 'k1', 8),
    ]);
  });

  it('stores a batch once, even if it is sent twice at the same time', async () => {
    const batch = batchOf(id, { ...used, month });
    await Promise.all([accounts.addUsage(batch), accounts.addUsage(batch)]);
    await accounts.addUsage(batch);
    await accounts.addUsage({ ...batch, number: batch.number - 1 });
    expect((await accounts.findAccount(id))?.usage.images).toBe(1);
    expect(await imagesOf(id, month)).toBe(1);
  });

  it('stores all entries of a batch or none', async () => {
    const batch = batchOf(id, { ...used, month });
    const broken = { ...batch.entries[0], keyId: 'broken', images: null as never };
    const entries = [...batch.entries, broken];
    await expect(accounts.addUsage({ ...batch, entries })).rejects.toThrow();
    expect(await accounts.listUsage(id, ALL, 100)).toEqual([]);
    // The batch does not count as stored.
    await accounts.addUsage(batch);
    expect(await imagesOf(id, month)).toBe(1);
  });

  it('lists usage in pages, and deletes old months', async () => {
    for (const row of ['2024-12 b', '2025-01 a', '2025-01 b', '2025-02 a']) {
      const [of, keyId] = row.split(' ');
      await accounts.addUsage(batchOf(id, { month: of, keyId, images: 1 }));
    }
    const all = await accounts.listUsage(id, ALL, 100);
    expect(all.map((row) => `${row.month} ${row.keyId}`)).toEqual([
      '2024-12 b',
      '2025-01 a',
      '2025-01 b',
      '2025-02 a',
    ]);
    const paged = [];
    for (let page = await accounts.listUsage(id, ALL, 1); page.length > 0;) {
      paged.push(...page);
      page = await accounts.listUsage(id, ALL, 1, page[0]);
    }
    expect(paged).toEqual(all);
    const january = { from: '2025-01', to: '2025-01' };
    expect(await accounts.listUsage(id, january, 100)).toEqual(all.slice(1, 3));
    await accounts.purgeUsage('2025-01');
    expect(await accounts.listUsage(id, ALL, 100)).toEqual(all.slice(1));
    expect((await accounts.findAccount(id))?.usage.images).toBe(4);
  });

  it('counts the images of a trial under concurrency, and those of no other account', async () => {
    const { account, key } = newTrial({ imagesLeft: 3, expiresAt: new Date('2030-01-01T00:00:00Z') });
    expect(await accounts.createAccount(account, key)).toBe(true);
    expect(await accounts.findKeyByDigest(key.digest)).toEqual({ key, account });
    const take = () => accounts.takeTrialImage(account.id);
    const taken = await Promise.all(Array.from({ length: 8 }, take));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect((await accounts.findAccount(account.id))?.trial?.imagesLeft).toBe(0);
    await accounts.addUsage(batchOf(account.id, { month, returned: 2 }));
    expect([await take(), await take(), await take()]).toEqual([true, true, false]);

    const ordinary = await accounts.findAccount(id);
    expect(await accounts.takeTrialImage(id)).toBe(false);
    expect(await accounts.takeTrialImage('nobody')).toBe(false);
    await accounts.addUsage(batchOf(id, { month, returned: 1 }));
    expect(await accounts.findAccount(id)).toEqual(ordinary);
  });

  it('deletes expired trials with their keys, the oldest first', async () => {
    const [first, second, live] = ['2020-01-01', '2020-01-02', '2020-01-09'].map((day) =>
      newTrial({ imagesLeft: 3, expiresAt: new Date(day) }),
    );
    for (const { account, key } of [first, second, live]) {
      await accounts.createAccount(account, key);
      await accounts.addUsage(batchOf(account.id, { month, images: 1 }));
    }
    const isThere = async ({ id: accountId }: Pick<Account, 'id'>) => [
      (await accounts.findAccount(accountId))?.id,
      await imagesOf(accountId, month),
    ];
    const threshold = new Date('2020-01-05');
    expect(await accounts.purgeTrials(threshold, 1)).toBe(1);
    expect(await isThere(first.account)).toEqual([undefined, 0]);
    expect(await accounts.findKeyByDigest(first.key.digest)).toBeUndefined();
    expect(await accounts.purgeTrials(threshold, 10)).toBe(1);
    expect(await accounts.purgeTrials(threshold, 10)).toBe(0);
    expect(await isThere(second.account)).toEqual([undefined, 0]);
    expect(await isThere(live.account)).toEqual([live.account.id, 1]);
    expect(await isThere({ id })).toEqual([id, 0]);
  });
});
