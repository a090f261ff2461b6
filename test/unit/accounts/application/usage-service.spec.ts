import type { UsageBatch, UsageEntry } from '../../../../src/accounts/application/account-repository.port';
import { UsageService } from '../../../../src/accounts/application/usage.service';
import { partOf } from '../../../support/part-of';

class Database {
  readonly stored = new Map<string, UsageBatch>();
  fails: 'no' | 'before' | 'after' = 'no';
  calls = 0;

  addUsage(batch: UsageBatch) {
    this.calls++;
    if (this.fails === 'before') return Promise.reject(new Error('not connected'));
    const id = `${batch.writer} ${batch.number}`;
    if (!this.stored.has(id)) this.stored.set(id, batch);
    return this.fails === 'after' ? Promise.reject(new Error('timeout')) : Promise.resolve();
  }

  purgeUsage() {
    return Promise.resolve();
  }

  get entries(): UsageEntry[] {
    return [...this.stored.values()].flatMap(({ entries }) => entries);
  }
}

let database: Database;
let usage: UsageService;
beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-11-30T23:59:50Z') });
  database = new Database();
  usage = new UsageService(partOf(database));
});
afterEach(() => jest.useRealTimers());

const record = (keyId = 'k') => usage.record({ accountId: 'a', keyId }, { bytesIn: 100, bytesSaved: 40 });
const entry = (facts: Partial<UsageEntry> = {}): UsageEntry => ({
  ...{ accountId: 'a', keyId: 'k', month: '2026-11', images: 1, bytesIn: 100, bytesSaved: 40, returned: 0 },
  ...facts,
});

it('sums by account, key and month, and writes once a second', async () => {
  for (let i = 0; i < 3; i++) record();
  record('other');
  await jest.advanceTimersByTimeAsync(999);
  expect(database.calls).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  expect(database.calls).toBe(1);
  expect(database.entries).toEqual([
    entry({ images: 3, bytesIn: 300, bytesSaved: 120 }),
    entry({ keyId: 'other' }),
  ]);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(database.calls).toBe(1);
});

it.each(['before', 'after'] as const)(
  'counts each image once if the database fails %s it has stored a batch',
  async (moment) => {
    database.fails = moment;
    record();
    await usage.flush();
    // Arrives while the first batch is uncertain: it must not join it.
    record();
    await usage.flush();
    database.fails = 'no';
    await jest.advanceTimersByTimeAsync(1_000);
    expect(database.entries).toEqual([entry(), entry()]);
  },
);

it('splits the usage of many keys into batches', async () => {
  for (let key = 0; key < 450; key++) record(`k${key}`);
  await usage.flush();
  expect([...database.stored.values()].map(({ entries }) => entries.length)).toEqual([200, 200, 50]);
});
