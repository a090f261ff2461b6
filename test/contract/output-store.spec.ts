import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createTaskRunner } from '../../src/accounts/infrastructure/persistence/database-tasks';
import type { Output } from '../../src/tinify/application/outputs.service';
import { TypeOrmOutputStore } from '../../src/tinify/infrastructure/persistence/typeorm-output-store';
import { onEachAccountStore } from '../support/databases';
import { onLinux } from '../support/on-linux';

const MIB = 1024 * 1024;
let made = 0;
const outputOf = (uploadBytes: number, resultBytes = uploadBytes, accountId = 'one'): Output => ({
  digest: String(++made).padStart(64, '0'),
  accountId,
  // Each was made a moment after the one before.
  expiresAt: new Date(Date.now() + 3_600_000 + made),
  format: 'sixteenletters16',
  width: 4,
  height: 3,
  uploadBytes,
  resultBytes,
});

/** That this process has read from files and sockets so far. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

onEachAccountStore((accounts, url) => {
  let run: ReturnType<typeof createTaskRunner>;
  beforeAll(() => (run = createTaskRunner(accounts.dataSource)));
  const storeWithin = (totalBytes: number, accountBytes = totalBytes) =>
    new TypeOrmOutputStore(accounts.dataSource, run, { totalBytes, accountBytes });

  it('keeps bytes until they expire', async () => {
    const store = storeWithin(100 * MIB);
    const [upload, result] = [randomBytes(20 * MIB + 1), randomBytes(256 * 1024)];
    const large = outputOf(upload.length, result.length);
    await store.add(large, upload, result);
    expect(await store.find(large.digest, new Date())).toEqual(large);
    expect(upload).toEqual(await store.read(large.digest, 'upload', 0, upload.length));
    expect(result.subarray(5, 1005)).toEqual(await store.read(large.digest, 'result', 5, 1000));
    await expect(store.read(large.digest, 'result', result.length - 2, 3)).rejects.toThrow('cut off');

    const slice = randomBytes(3000).subarray(1000, 2000);
    const small = { ...outputOf(slice.length), expiresAt: new Date('2030-01-01T00:00:00Z') };
    await store.add(small, slice, undefined);
    for (const part of ['upload', 'result'] as const)
      expect(slice).toEqual(await store.read(small.digest, part, 0, slice.length));

    expect(await store.find(small.digest, small.expiresAt)).toBeUndefined();
    expect(await store.find('nothing', new Date())).toBeUndefined();
    await store.purge(new Date());
    expect(await store.find(small.digest, new Date())).toEqual(small);
    await store.purge(small.expiresAt);
    expect(await store.find(small.digest, new Date())).toBeUndefined();
    await expect(store.read(small.digest, 'upload', 0, 1)).rejects.toThrow('deleted');
  });

  onLinux('reads a piece at the cost of its length, whatever the size of the output', async () => {
    const store = storeWithin(100 * MIB);
    const output = outputOf(20 * MIB);
    await store.add(output, randomBytes(20 * MIB), undefined);
    const before = bytesRead();
    for (let piece = 0; piece < 50; piece++) await store.read(output.digest, 'result', piece * 4096, 4096);
    // 1 GiB if each read the whole output.
    expect(bytesRead() - before).toBeLessThan(2 * MIB);
    await store.purge(new Date('2040-01-01'));
  });

  it('keeps the bytes in the database of replicas, and beside a file that has one service', async () => {
    const store = storeWithin(100 * MIB);
    const output = outputOf(MIB);
    await store.add(output, randomBytes(MIB), randomBytes(MIB));
    const file = /^sqlite:(.+)\.db$/.exec(url())?.[1];
    if (!file) return;
    const folder = `${file}-outputs`;
    expect([statSync(folder).mode & 0o777, readdirSync(folder).length]).toEqual([0o700, 2]);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const [{ bytes }]: { bytes: number }[] = await accounts.dataSource.query(
      'SELECT SUM(length(upload)) AS bytes FROM tinify_outputs',
    );
    expect(bytes).toBe(0);
    // What a killed process has left.
    const hoursAgo = Date.now() / 1000 - 7_300;
    utimesSync(join(folder, `${output.digest}.upload`), hoursAgo, hoursAgo);
    await storeWithin(100 * MIB).purge(new Date());
    expect(readdirSync(folder)).toEqual([`${output.digest}.result`]);
    await store.purge(new Date('2040-01-01'));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reads SQLite no more for the bytes: its calls block the event loop', async () => {
    if (!url().startsWith('sqlite:')) return;
    let queries = 0;
    const counted: typeof run = (work) => (queries++, run(work));
    const store = new TypeOrmOutputStore(accounts.dataSource, counted);
    const output = outputOf(MIB);
    await store.add(output, randomBytes(MIB), undefined);
    queries = 0;
    await store.read(output.digest, 'result', 0, MIB);
    expect(queries).toBe(0);
  });

  it('deletes the oldest outputs of an account that is over its share, and the oldest of all', async () => {
    const store = storeWithin(4 * MIB, 3 * MIB);
    const upload = randomBytes(MIB - 64 * 1024);
    const add = async (accountId: string) => {
      const output = outputOf(upload.length, upload.length, accountId);
      await store.add(output, upload, undefined);
      return async () => (await store.find(output.digest, new Date())) !== undefined;
    };
    const outputs: (() => Promise<boolean>)[] = [];
    for (const account of ['one', 'one', 'one', 'one', 'two']) outputs.push(await add(account));
    await store.purge(new Date());
    const left = () => Promise.all(outputs.map((isLeft) => isLeft()));
    expect(await left()).toEqual([false, true, true, true, true]);
    outputs.push(await add('two'), await add('three'));
    await store.purge(new Date());
    expect(await left()).toEqual([false, false, false, true, true, true, true]);
    const large = outputOf(5 * MIB);
    await store.add(large, randomBytes(5 * MIB), undefined);
    await store.purge(new Date());
    expect([await store.find(large.digest, new Date()), await left()]).toEqual([
      large,
      Array<boolean>(7).fill(false),
    ]);
    await store.purge(new Date('2040-01-01'));
  });

  it('counts 64 KiB for each output besides its bytes', async () => {
    const store = storeWithin(4 * 65 * 1024);
    const upload = randomBytes(1024);
    const outputs = Array.from({ length: 5 }, () => outputOf(upload.length));
    for (const output of outputs) await store.add(output, upload, undefined);
    await store.purge(new Date());
    const found = await Promise.all(outputs.map(({ digest }) => store.find(digest, new Date())));
    expect(found.map(Boolean)).toEqual([false, true, true, true, true]);
  });
});
