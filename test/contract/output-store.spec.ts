/** The store of outputs in every database where it can be. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { OutputStoreUnavailable } from '../../src/tinify/application/output-store.port';
import type { Output } from '../../src/tinify/domain/output';
import {
  OUTPUT_TABLES,
  outputDatabaseUrl,
} from '../../src/tinify/infrastructure/persistence/output-database';
import { TypeOrmOutputStore } from '../../src/tinify/infrastructure/persistence/typeorm-output-store';
import { onEachDatabase } from '../support/databases';

const MIB = 1024 * 1024;
const open = (url: string) => openDatabase(outputDatabaseUrl(url), { schema: OUTPUT_TABLES });

const IN_AN_HOUR = new Date(Date.now() + 3_600_000);
let made = 0;
const outputOf = (uploadBytes: number, resultBytes = 0, accountId = 'one'): Output => ({
  digest: String(++made).padStart(64, '0'),
  accountId,
  expiresAt: IN_AN_HOUR,
  format: 'jpeg',
  width: 4,
  height: 3,
  uploadBytes,
  resultBytes,
});
const bytesOf = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

/** As if all outputs had been there for two minutes. */
async function age(dataSource: DataSource): Promise<void> {
  const before = new Date(Date.now() - 120_000 + ++made);
  await dataSource
    .createQueryBuilder()
    .update('tinify_outputs')
    .set({ createdAt: before })
    .where('true')
    .execute();
}

onEachDatabase((url) => {
  let accounts: DataSource;
  let dataSource: DataSource;
  beforeAll(async () => {
    // As in the service: the accounts are opened first, in the same PostgreSQL database.
    accounts = await openDatabase(url());
    dataSource = await open(url());
  });
  afterAll(async () => {
    await dataSource.destroy();
    await accounts.destroy();
  });

  it('keeps bytes until they expire', async () => {
    const store = new TypeOrmOutputStore(dataSource, { totalBytes: 100 * MIB, accountBytes: 100 * MIB });
    const [upload, result] = [randomBytes(20 * MIB + 1), randomBytes(256 * 1024)];
    const large = outputOf(upload.length, result.length);
    expect(await store.add(large, { upload, result })).toBe(true);
    expect(await store.find(large.digest, new Date())).toMatchObject(large);
    expect((await bytesOf(store.read(large, 'upload'))).equals(upload)).toBe(true);
    expect((await bytesOf(store.read(large, 'result'))).equals(result)).toBe(true);

    const slice = randomBytes(3000).subarray(1000, 2000);
    const small = { ...outputOf(slice.length), expiresAt: new Date('2030-01-01T00:00:00Z') };
    expect(await store.add(small, { upload: slice })).toBe(true);
    expect((await bytesOf(store.read(small, 'upload'))).equals(slice)).toBe(true);

    expect(await store.find(small.digest, small.expiresAt)).toBeUndefined();
    expect(await store.find('nothing', new Date())).toBeUndefined();
    expect(await store.purge(new Date(), 10)).toBe(0);
    const later = new Date('2030-01-02T00:00:00Z');
    expect([await store.purge(later, 1), await store.purge(later, 10), await store.purge(later, 10)]).toEqual(
      [1, 1, 0],
    );
    const left = await dataSource.sql<object[]>`SELECT digest FROM tinify_pieces`;
    expect(left).toEqual([]);
  });

  it('deletes the oldest outputs of an account that is over its share, but none of the last minute', async () => {
    const store = new TypeOrmOutputStore(dataSource, { totalBytes: 4.5 * MIB, accountBytes: 3 * MIB });
    const upload = randomBytes(1_000_000);
    const add = async (accountId: string) => {
      const output = outputOf(upload.length, 0, accountId);
      return (await store.add(output, { upload })) ? output.digest : undefined;
    };
    const has = async (digest = '') => (await store.find(digest, new Date())) !== undefined;

    const first = await add('one');
    await age(dataSource);
    const [second, third] = [await add('one'), await add('one')];
    // The share of the account is full: its oldest output goes, but none of the last minute.
    const fourth = await add('one');
    expect(await Promise.all([first, second, third, fourth].map(has))).toEqual([false, true, true, true]);
    expect(await add('one')).toBeUndefined();
    // The store has room for one more, and then for none.
    const other = await add('two');
    expect([await has(other), await has(second)]).toEqual([true, true]);
    expect(await add('two')).toBeUndefined();
    await age(dataSource);
    const last = await add('two');
    expect(await has(last)).toBe(true);
    await store.purge(new Date('2040-01-01'), 100);
  });

  it('counts 16 KiB for each output besides its bytes', async () => {
    const bounds = { totalBytes: 4 * 17 * 1024, accountBytes: 4 * 17 * 1024 };
    const store = new TypeOrmOutputStore(dataSource, bounds);
    const upload = randomBytes(1024);
    const added: boolean[] = [];
    for (let i = 0; i < 5; i++) added.push(await store.add(outputOf(upload.length), { upload }));
    expect(added).toEqual([true, true, true, true, false]);
    await store.purge(new Date('2040-01-01'), 100);
  });

  it('stays within its bounds under concurrency', async () => {
    const replica = await open(url());
    const bounds = { totalBytes: 4 * MIB, accountBytes: 4 * MIB };
    const stores = [new TypeOrmOutputStore(dataSource, bounds), new TypeOrmOutputStore(replica, bounds)];
    const upload = randomBytes(1_000_000);
    // Two connections of one process to a SQLite file would wait for each other; replicas are for PostgreSQL.
    const used = dataSource.options.type === 'postgres' ? stores : [stores[0], stores[0]];
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, i) => used[i % 2].add(outputOf(upload.length), { upload })),
    );
    expect(added.filter(Boolean)).toHaveLength(4);
    await replica.destroy();
    await stores[0].purge(new Date('2040-01-01'), 100);
  });

  it('reports missing bytes, and leaves nothing of an output that it cannot write', async () => {
    const store = new TypeOrmOutputStore(dataSource, { totalBytes: 5 * MIB, accountBytes: 5 * MIB });
    const upload = randomBytes(600_000);
    const output = outputOf(upload.length);
    await store.add(output, { upload });
    await dataSource.sql`DELETE FROM tinify_pieces WHERE digest = ${output.digest} AND position = ${1}`;
    await expect(bytesOf(store.read(output, 'upload'))).rejects.toThrow(OutputStoreUnavailable);
    // An output whose bytes cannot be written leaves nothing behind.
    const twice = outputOf(upload.length);
    await dataSource.sql`INSERT INTO tinify_pieces (digest, part, position, bytes) VALUES (${twice.digest}, ${'upload'}, ${1}, ${Buffer.from('x')})`;
    await expect(store.add(twice, { upload })).rejects.toThrow();
    expect(await store.find(twice.digest, new Date())).toBeUndefined();
  });

  it('does not disturb the accounts', async () => {
    const isFile = url().startsWith('sqlite:');
    expect(existsSync(url().replace('sqlite:', '').replace('.db', '-tinify.db'))).toBe(isFile);
    const again = await openDatabase(url());
    expect(await again.showMigrations()).toBe(false);
    await again.destroy();
  });
});
