/** The contract of ResultStore, run on every implementation. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultStore } from '../../src/compression/application/running/result-store.port';
import { FolderResultStore } from '../../src/compression/infrastructure/remembered/folder-result-store';
import { MemoryResultStore } from '../../src/compression/infrastructure/remembered/memory-result-store';
import { keyOf, resultOf } from '../support/results';

const CAPACITY = 1024 * 1024;
const faults: unknown[] = [];
const stores: [string, () => Promise<ResultStore>][] = [
  ['in memory', () => Promise.resolve(new MemoryResultStore(CAPACITY))],
  [
    'in a folder',
    () =>
      FolderResultStore.open(join(mkdtempSync(join(tmpdir(), 'ics-results-')), 'a', 'b'), CAPACITY, (e) =>
        faults.push(e),
      ),
  ],
];

describe.each(stores)('results %s', (_, open) => {
  let store: ResultStore;
  const admitAll = () => undefined;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => expect(faults).toEqual([]));

  it('are found as they were saved', async () => {
    const result = resultOf(Buffer.from('an image'), { quality: 77, removed: ['motion-video'] });
    await store.save(keyOf('a'), result);
    const found = await store.find(keyOf('a'), admitAll);
    expect(found?.report).toEqual(result.report);
    expect(Buffer.from(found!.bytes).toString()).toBe('an image');
    expect(await store.find(keyOf('b'), admitAll)).toBeUndefined();
  });

  it('of a skipped image have a report and no bytes, and need no memory', async () => {
    await store.save(keyOf('a'), resultOf(new Uint8Array(), { skipReason: 'animated' }));
    const admit = jest.fn();
    const found = await store.find(keyOf('a'), admit);
    expect([found?.report.skipReason, found?.bytes.length]).toEqual(['animated', 0]);
    expect(admit).not.toHaveBeenCalled();
  });

  it('are not read when there is no memory for them', async () => {
    await store.save(keyOf('a'), resultOf(Buffer.alloc(5000)));
    const admit = jest.fn(() => {
      throw new Error('no memory');
    });
    await expect(store.find(keyOf('a'), admit)).rejects.toThrow('no memory');
    expect(admit).toHaveBeenCalledWith(5000);
    expect(await store.find(keyOf('a'), admitAll)).toBeDefined();
  });

  it('a later result under the same key replaces the earlier one', async () => {
    await store.save(keyOf('a'), resultOf(Buffer.from('first')));
    await store.save(keyOf('a'), resultOf(Buffer.from('second')));
    const found = await store.find(keyOf('a'), admitAll);
    expect(Buffer.from(found!.bytes).toString()).toBe('second');
  });

  it('do not exceed the capacity for long, and the newest stay', async () => {
    const names = Array.from({ length: 60 }, (__, i) => `image ${i}`);
    for (const name of names) await store.save(keyOf(name), resultOf(Buffer.alloc(100_000)));
    const found = await Promise.all(names.map((name) => store.find(keyOf(name), admitAll)));
    const kept = found.filter(Boolean).length;
    expect(kept).toBeGreaterThanOrEqual(5);
    expect(kept).toBeLessThanOrEqual(10);
    expect(found.at(-1)).toBeDefined();
  });

  it('larger than the capacity are not kept, and evict nothing', async () => {
    await store.save(keyOf('small'), resultOf(Buffer.alloc(1000)));
    await store.save(keyOf('large'), resultOf(Buffer.alloc(CAPACITY)));
    expect(await store.find(keyOf('large'), admitAll)).toBeUndefined();
    expect(await store.find(keyOf('small'), admitAll)).toBeDefined();
  });

  it('are complete under concurrent saves and finds', async () => {
    const bytesOf = (i: number) => Buffer.alloc(20_000 + i, i);
    await Promise.all(
      Array.from({ length: 200 }, async (__, i) => {
        const n = i % 20;
        await store.save(keyOf(`image ${n}`), resultOf(bytesOf(n)));
        const found = await store.find(keyOf(`image ${n}`), admitAll);
        expect(found && Buffer.compare(bytesOf(n), found.bytes)).toBe(0);
      }),
    );
  });
});

it('in memory, the least recently used are evicted first', async () => {
  const store = new MemoryResultStore(CAPACITY);
  const find = async (name: string) => (await store.find(keyOf(name), () => undefined)) !== undefined;
  for (const name of ['a', 'b', 'c']) await store.save(keyOf(name), resultOf(Buffer.alloc(300_000)));
  expect(await find('a')).toBe(true);
  await store.save(keyOf('d'), resultOf(Buffer.alloc(300_000)));
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(find))).toEqual([true, false, true, true]);
});
