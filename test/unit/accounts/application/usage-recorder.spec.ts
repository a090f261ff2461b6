import { UsageRecorder } from '../../../../src/accounts/application/reservations';
import type { UsageBatch, UsageEntry } from '../../../../src/accounts/application/usage-repository.port';
import { partOf } from '../../../support/part-of';

/** A database that can fail before or after it has stored a batch. */
class Database {
  readonly stored = new Map<string, UsageBatch>();
  fails: 'no' | 'before' | 'after' = 'no';
  calls = 0;

  add(batch: UsageBatch): Promise<void> {
    this.calls++;
    if (this.fails === 'before') return Promise.reject(new Error('not connected'));
    const id = `${batch.writer} ${batch.number}`;
    if (!this.stored.has(id)) this.stored.set(id, batch);
    return this.fails === 'after' ? Promise.reject(new Error('timeout')) : Promise.resolve();
  }

  get entries(): UsageEntry[] {
    return [...this.stored.values()].flatMap(({ entries }) => entries);
  }

  get images(): number {
    return this.entries.reduce((sum, { images }) => sum + images, 0);
  }
}

let database: Database;
let recorder: UsageRecorder;
beforeEach(() => {
  jest.useFakeTimers();
  database = new Database();
  recorder = new UsageRecorder(partOf(database));
});
afterEach(() => jest.useRealTimers());

const entry = (facts: Partial<UsageEntry> = {}): UsageEntry => ({
  accountId: 'a',
  keyId: 'k',
  month: '2026-11',
  images: 1,
  bytesIn: 100,
  bytesSaved: 40,
  variants: 0,
  returned: 0,
  ...facts,
});

it('sums by account, key and month, and writes once a second', async () => {
  for (let i = 0; i < 3; i++) recorder.record(entry({ variants: 1, returned: 2 }));
  recorder.record(entry({ month: '2026-12' }));
  recorder.record(entry({ keyId: 'other' }));
  await jest.advanceTimersByTimeAsync(999);
  expect(database.calls).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  expect(database.calls).toBe(1);
  expect(database.entries).toEqual([
    entry({ images: 3, bytesIn: 300, bytesSaved: 120, variants: 3, returned: 6 }),
    entry({ month: '2026-12' }),
    entry({ keyId: 'other' }),
  ]);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(database.calls).toBe(1);
});

it.each(['before', 'after'] as const)(
  'counts each image once if the database fails %s it has stored a batch',
  async (moment) => {
    database.fails = moment;
    recorder.record(entry());
    await recorder.flush();
    // Arrives while the first batch is uncertain: it must not join it.
    recorder.record(entry());
    await recorder.flush();
    database.fails = 'no';
    await jest.advanceTimersByTimeAsync(1_000);
    expect(database.images).toBe(2);
    expect(database.stored.size).toBe(2);
  },
);

it('splits the usage of many keys into batches', async () => {
  for (let key = 0; key < 450; key++) recorder.record(entry({ keyId: `k${key}` }));
  await recorder.flush();
  expect([...database.stored.values()].map(({ entries }) => entries.length)).toEqual([200, 200, 50]);
});
