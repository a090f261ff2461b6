import { randomBytes } from 'node:crypto';
import { createTaskRunner } from '../../src/accounts/infrastructure/persistence/database-tasks';
import type { Output } from '../../src/tinify/application/outputs.service';
import { TypeOrmOutputStore } from '../../src/tinify/infrastructure/persistence/typeorm-output-store';
import { onEachAccountStore } from '../support/databases';

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

onEachAccountStore((accounts) => {
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
    expect(upload.equals(await store.read(large.digest, 'upload', 0, upload.length))).toBe(true);
    expect(result.subarray(5, 1005).equals(await store.read(large.digest, 'result', 5, 1000))).toBe(true);
    expect(await store.read(large.digest, 'result', result.length - 2, 1000)).toHaveLength(2);

    const slice = randomBytes(3000).subarray(1000, 2000);
    const small = { ...outputOf(slice.length), expiresAt: new Date('2030-01-01T00:00:00Z') };
    await store.add(small, slice, undefined);
    for (const part of ['upload', 'result'] as const)
      expect(slice.equals(await store.read(small.digest, part, 0, MIB))).toBe(true);

    expect(await store.find(small.digest, small.expiresAt)).toBeUndefined();
    expect(await store.find('nothing', new Date())).toBeUndefined();
    await store.purge(new Date());
    expect(await store.find(small.digest, new Date())).toEqual(small);
    await store.purge(small.expiresAt);
    expect(await store.find(small.digest, new Date())).toBeUndefined();
    await expect(store.read(small.digest, 'upload', 0, 1)).rejects.toThrow('deleted');
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
