/** The contract of UsageRepository, run on every supported database. */
import { batchOf, newAccount } from '../support/accounts';
import { onEachAccountStore } from '../support/databases';

const ALL = { from: '2000-01', to: '2999-12' };
const month = '2026-11';

onEachAccountStore((store) => {
  let id: string;
  beforeEach(async () => {
    const { account, key } = newAccount();
    await store.accounts.createAccount(account, key);
    id = account.id;
  });

  const used = { images: 1, bytesIn: 3_000_000_000, bytesSaved: 1_000_000_000, variants: 1 };
  const reserve = (images: number, limit: number, ofMonth = month) =>
    store.usage.reserve({ accountId: id, images, month: ofMonth, limit });

  it('adds up totals and months under concurrency', async () => {
    const additions = Array.from({ length: 20 }, (_, i) =>
      store.usage.add({
        ...batchOf(id, { ...used, keyId: `k${i % 2}`, month: i < 4 ? '2026-10' : month }),
        writer: `w${i}`,
      }),
    );
    await Promise.all(additions);
    const totals = { images: 20, bytesIn: 60_000_000_000, bytesSaved: 20_000_000_000 };
    expect((await store.accounts.findAccount(id))?.usage).toEqual(totals);
    const row = (of: string, keyId: string, images: number) => {
      const [bytesIn, bytesSaved] = [images * 3_000_000_000, images * 1_000_000_000];
      return { month: of, keyId, images, bytesIn, bytesSaved, variants: images };
    };
    expect(await store.usage.list(id, ALL, 100)).toEqual([
      row('2026-10', 'k0', 2),
      row('2026-10', 'k1', 2),
      row(month, 'k0', 8),
      row(month, 'k1', 8),
    ]);
    expect(await store.usage.imagesOf(id, month)).toBe(16);
    expect(await store.usage.imagesOf(id, '2026-09')).toBe(0);
  });

  it('stores a batch once, even if it is sent twice at the same time', async () => {
    const batch = batchOf(id, { ...used, month });
    await Promise.all([store.usage.add(batch), store.usage.add(batch)]);
    await store.usage.add(batch);
    await store.usage.add({ ...batch, number: batch.number - 1 });
    expect((await store.accounts.findAccount(id))?.usage.images).toBe(1);
    expect(await store.usage.imagesOf(id, month)).toBe(1);
  });

  it('stores all entries of a batch or none', async () => {
    const batch = batchOf(id, { ...used, month });
    const broken = { ...batch.entries[0], keyId: 'broken', images: null as never };
    await expect(store.usage.add({ ...batch, entries: [...batch.entries, broken] })).rejects.toThrow();
    expect(await store.usage.list(id, ALL, 100)).toEqual([]);
    // The batch does not count as stored.
    await store.usage.add(batch);
    expect(await store.usage.imagesOf(id, month)).toBe(1);
  });

  it('never reserves more than the quota under concurrency, and counts each image', async () => {
    const verdicts = await Promise.all(Array.from({ length: 30 }, () => reserve(1, 10)));
    const reserved = verdicts.filter(({ isReserved }) => isReserved);
    expect(reserved.map(({ used: images }) => images).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    for (const verdict of verdicts) expect(verdict.used).toBeLessThanOrEqual(10);
    expect(await reserve(1, 10)).toEqual({ isReserved: false, used: 10 });
    expect(await reserve(1, 11)).toEqual({ isReserved: true, used: 11 });
  });

  it('reserves several images or none, and takes back the rest', async () => {
    expect(await reserve(24, 30)).toEqual({ isReserved: true, used: 24 });
    expect(await reserve(7, 30)).toEqual({ isReserved: false, used: 24 });
    await store.usage.add(batchOf(id, { month, images: 4, returned: 20 }));
    expect(await reserve(26, 30)).toEqual({ isReserved: true, used: 30 });
  });

  it('begins a month with its stored usage, and leaves other months alone', async () => {
    await store.usage.add(batchOf(id, { month, images: 3 }));
    await store.usage.add(batchOf(id, { month: '2026-10', images: 50 }));
    expect(await reserve(1, 5)).toEqual({ isReserved: true, used: 4 });
    expect(await reserve(1, 5, '2026-12')).toEqual({ isReserved: true, used: 1 });
    // An image of the last month comes back too late.
    await store.usage.add(batchOf(id, { month, returned: 1 }));
    expect(await reserve(1, 5, '2026-12')).toEqual({ isReserved: true, used: 2 });
  });

  it('counts images that were made while the account had no quota', async () => {
    expect(await reserve(1, 10)).toMatchObject({ used: 1 });
    await store.usage.add(batchOf(id, { month, images: 1 }));
    await store.usage.add(batchOf(id, { month, images: 8 }));
    expect(await reserve(1, 10)).toEqual({ isReserved: true, used: 10 });
    expect(await reserve(1, 10)).toEqual({ isReserved: false, used: 10 });
  });

  it('reserves nothing for an account that does not exist', async () => {
    const missing = { accountId: 'nobody', images: 1, month, limit: 5 };
    expect((await store.usage.reserve(missing)).isReserved).toBe(false);
  });

  it('lists usage in pages, and deletes old months', async () => {
    for (const [of, keyId] of [
      ['2024-12', 'b'],
      ['2025-01', 'a'],
      ['2025-01', 'b'],
      ['2025-02', 'a'],
    ])
      await store.usage.add(batchOf(id, { month: of, keyId, images: 1 }));
    const all = await store.usage.list(id, ALL, 100);
    expect(all.map((row) => `${row.month} ${row.keyId}`)).toEqual([
      '2024-12 b',
      '2025-01 a',
      '2025-01 b',
      '2025-02 a',
    ]);
    const paged = [];
    for (let page = await store.usage.list(id, ALL, 1); page.length > 0;) {
      paged.push(...page);
      page = await store.usage.list(id, ALL, 1, page[0]);
    }
    expect(paged).toEqual(all);
    expect(await store.usage.list(id, { from: '2025-01', to: '2025-01' }, 100)).toEqual(all.slice(1, 3));
    await store.usage.purge('2025-01');
    expect(await store.usage.list(id, ALL, 100)).toEqual(all.slice(1));
    expect((await store.accounts.findAccount(id))?.usage.images).toBe(4);
  });
});
