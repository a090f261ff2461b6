/** Results in a folder survive crashes, other processes, foreign files and disk errors. */
import { fork } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderResultStore } from '../../../../../src/compression/infrastructure/remembered/folder-result-store';
import { keyOf, resultOf } from '../../../../support/results';

const MIB = 1024 * 1024;
const WRITER = join(__dirname, '..', '..', '..', '..', 'support', 'result-writer.cjs');
const key = keyOf('an image');
let folder: string;
let store: FolderResultStore;
let faults: unknown[];

const open = (capacity = 10 * MIB) => FolderResultStore.open(folder, capacity, (fault) => faults.push(fault));
const find = (which = key, from = store) => from.find(which, () => undefined);
const pathOf = (which = key) => join(folder, which.slice(0, 2), `${which.slice(2)}.result`);
const filesBelow = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const sizeOfAll = () => filesBelow().reduce((sum, file) => sum + statSync(file).size, 0);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ics-results-'));
  faults = [];
  store = await open();
  await store.save(key, resultOf(Buffer.from('the result')));
});

it('treats a truncated file as a miss, and writes it again', async () => {
  const whole = readFileSync(pathOf());
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(pathOf(), whole.subarray(0, length));
    expect(await find()).toBeUndefined();
  }
  await store.save(key, resultOf(Buffer.from('the result')));
  expect(await find()).toBeDefined();
  expect(faults).toEqual([]);
});

it('treats a file with any changed or added byte as a miss', async () => {
  const whole = readFileSync(pathOf());
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole);
    changed[at] ^= 0x10;
    writeFileSync(pathOf(), changed);
    expect(await find()).toBeUndefined();
  }
  writeFileSync(pathOf(), Buffer.concat([whole, Buffer.from('more')]));
  expect(await find()).toBeUndefined();
  expect(faults).toEqual([]);
});

it('treats the result of another image, and anything else in its place, as a miss', async () => {
  const other = keyOf('another');
  await store.save(other, resultOf(Buffer.from('another result')));
  renameSync(pathOf(other), pathOf());
  expect(await find()).toBeUndefined();
  symlinkSync('/etc/passwd', pathOf(other));
  expect(await find(other)).toBeUndefined();
  const third = keyOf('third');
  mkdirSync(pathOf(third), { recursive: true });
  expect(await find(third)).toBeUndefined();
  await store.save(third, resultOf(Buffer.from('no place for it')));
  expect(await find(third)).toBeUndefined();
});

it('removes only its own files, and unfinished ones only when they are old', async () => {
  const shard = dirname(pathOf());
  const foreign = [join(folder, 'README'), join(shard, 'notes.txt'), join(folder, 'photos', 'a.result')];
  mkdirSync(join(folder, 'photos'));
  for (const file of foreign) writeFileSync(file, Buffer.alloc(MIB));
  const left = (name: string) => join(shard, `.${name}-0000-0000-0000-000000000000.tmp`);
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of ['00000000', '11111111']) writeFileSync(left(name), 'half a result');
  utimesSync(left('00000000'), hourAgo, hourAgo);
  const small = await open(200_000);
  for (let i = 0; i < 10; i++) await small.save(keyOf(`image ${i}`), resultOf(Buffer.alloc(50_000)));
  expect(foreign.every((file) => existsSync(file))).toBe(true);
  expect([existsSync(left('00000000')), existsSync(left('11111111'))]).toEqual([false, true]);
});

it('evicts the least recently used first', async () => {
  const names = ['a', 'b', 'c'];
  for (const [i, name] of names.entries()) {
    await store.save(keyOf(name), resultOf(Buffer.alloc(300_000)));
    const usedAt = new Date(Date.now() - (10 - i) * 3_600_000);
    utimesSync(pathOf(keyOf(name)), usedAt, usedAt);
  }
  expect(await find(keyOf('a'))).toBeDefined();
  const small = await open(MIB);
  await small.save(keyOf('d'), resultOf(Buffer.alloc(300_000)));
  const kept = await Promise.all(
    [...names, 'd'].map(async (name) => (await find(keyOf(name))) !== undefined),
  );
  expect(kept).toEqual([true, false, true, true]);
});

it('only loses its benefit if the disk is full or read-only, and logs it once', async () => {
  rmShards();
  await store.save(keyOf('b'), resultOf(Buffer.from('b')));
  await store.save(keyOf('c'), resultOf(Buffer.from('c')));
  expect(await find(keyOf('b'))).toBeUndefined();
  expect(faults).toHaveLength(1);
});
/** A file in place of each folder: even root cannot write there. */
function rmShards(): void {
  for (let i = 0; i < 256; i++) {
    const shard = join(folder, i.toString(16).padStart(2, '0'));
    if (existsSync(shard)) renameSync(shard, `${shard}-gone`);
    writeFileSync(shard, '');
  }
}

describe('with other processes', () => {
  const CAPACITY = 2 * MIB;
  /** Writes results endlessly; see result-writer.cjs. */
  const writer = (seed: number) =>
    fork(WRITER, [folder, String(CAPACITY), String(seed)], { stdio: 'inherit' });
  const started = (child: ReturnType<typeof fork>) =>
    new Promise((resolve) => child.once('message', resolve));
  const killed = (child: ReturnType<typeof fork>) =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  /** Finds complete results of the writers, or none. */
  async function findAll(): Promise<number> {
    let hits = 0;
    for (let i = 0; i < 50; i++) {
      const found = await find(keyOf(`image ${i}`));
      if (!found) continue;
      hits++;
      expect(Buffer.compare(found.bytes, Buffer.alloc(50_000 + i, i))).toBe(0);
    }
    return hits;
  }

  /** Files in progress are called so. */
  const isWriting = () =>
    readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('.tmp'));

  it('a process killed while writing leaves complete results or misses', async () => {
    for (let round = 0; round < 8; round++) {
      const child = writer(round);
      await started(child);
      while (!isWriting()) await new Promise(setImmediate);
      await killed(child);
      await findAll();
    }
    const last = writer(8);
    while ((await findAll()) === 0);
    await killed(last);
    expect(faults).toEqual([]);
  });

  it('concurrent writes, reads and evictions stay within the capacity and damage nothing', async () => {
    const children = [1, 2, 3].map(writer);
    await Promise.all(children.map(started));
    const seen = new Set<string>();
    let [hits, evictions] = [0, 0];
    while (hits < 100 || evictions < 20) {
      hits += await findAll();
      const there = new Set(readdirSync(folder, { recursive: true }).map(String));
      for (const name of there) if (name.endsWith('.result')) seen.add(name);
      if ([...seen].some((name) => !there.has(name))) evictions++;
    }
    await Promise.all(children.map(killed));
    // Each may have written a sixteenth since its last sweep, and has a file in progress.
    expect(sizeOfAll()).toBeLessThan(CAPACITY * (1 + 3 / 16) + 3 * 60_000);
    expect(faults).toEqual([]);
  });
});
