import { DownloadLine, MAX_WAIT_MS, UploadLine } from '../../../../src/tinify/application/waiting-line';
import { partOf } from '../../../support/part-of';

const WORKERS = 2;
const MAX_IN_PROGRESS = 4;
const OVERLOADED = expect.objectContaining({ reason: 'overloaded' }) as Error;
let line: UploadLine;
let hasRoom: boolean;
let started: number[];
let failed: [number, string][];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  line = new UploadLine(partOf({ pool: { workers: WORKERS } }));
  hasRoom = true;
  started = [];
  failed = [];
});
afterEach(() => {
  line.onModuleDestroy();
  jest.useRealTimers();
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Lets requests enter the line; returns how to disconnect each. */
function enter(count: number, account = 'a', from = 0): AbortController[] {
  return Array.from({ length: count }, (_, i) => {
    const closed = new AbortController();
    line
      .enter(account, closed.signal, () => hasRoom, performance.now() + MAX_WAIT_MS)
      .then(
        () => started.push(from + i),
        (error: unknown) => failed.push([from + i, (error as { reason: string }).reason]),
      );
    return closed;
  });
}

it('starts twice as many requests of an account as there are workers, and the others in their order', async () => {
  const requests = enter(6);
  await settled();
  expect(started).toEqual([0, 1, 2, 3]);
  requests[2].abort();
  await settled();
  expect(started).toEqual([0, 1, 2, 3, 4]);
  requests[0].abort();
  await settled();
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  expect(failed).toEqual([]);
});

it('does not let one account wait behind another', async () => {
  enter(10);
  enter(1, 'b', 100);
  await settled();
  expect(started).toContain(100);
});

it('waits for room, which appears without notice', async () => {
  hasRoom = false;
  enter(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(started).toEqual([]);
  hasRoom = true;
  await jest.advanceTimersByTimeAsync(100);
  expect(started).toEqual([0]);
});

it('gives up when the client leaves, and when the wait is over', async () => {
  hasRoom = false;
  const [first] = enter(2);
  first.abort();
  await settled();
  expect(failed).toEqual([[0, 'cancelled']]);
  await jest.advanceTimersByTimeAsync(MAX_WAIT_MS + 100);
  expect(failed).toEqual([
    [0, 'cancelled'],
    [1, 'overloaded'],
  ]);
  expect(jest.getTimerCount()).toBe(0);
});

it('bounds the line of an account and of all', async () => {
  enter(MAX_IN_PROGRESS + 200);
  expect(() => enter(1)).toThrow(OVERLOADED);
  enter(MAX_IN_PROGRESS + 200, 'b');
  enter(MAX_IN_PROGRESS + 100, 'c');
  expect(() => enter(1, 'b')).toThrow(OVERLOADED);
  await settled();
  expect(failed).toEqual([]);
});

it('an account takes places from those with more in a full line, the newest first, until it has as many', async () => {
  hasRoom = false;
  const accounts = ['a', 'b', 'c', 'd'];
  for (const [i, account] of accounts.entries()) enter(125, account, i * 1_000);
  enter(1, 'e', 10_000);
  await settled();
  expect(failed).toEqual([[124, 'overloaded']]);
  enter(99, 'e', 10_001);
  await settled();
  // 100 each: 24 more of the first, 25 of each other account.
  expect(failed).toHaveLength(100);
  expect(failed.every(([request]) => request % 1_000 >= 100 && request < 10_000)).toBe(true);
  for (const account of [...accounts, 'e']) expect(() => enter(1, account)).toThrow(OVERLOADED);
  hasRoom = true;
  await jest.advanceTimersByTimeAsync(100);
  expect(started).toContain(10_000);
});

it('holds nothing after 1000 clients that left, whatever they waited for', async () => {
  for (let i = 0; i < 100; i++) for (const client of enter(10)) client.abort();
  await settled();
  started = [];
  enter(MAX_IN_PROGRESS);
  await settled();
  expect(started).toHaveLength(MAX_IN_PROGRESS);
});

it('lets an address have 32 downloads and 512 that wait, and refuses more, but not of another address', async () => {
  const downloads = new DownloadLine();
  const [AT_ONCE, WAITING] = [32, 512];
  const clients = Array.from({ length: AT_ONCE + WAITING }, (_, i) => {
    const client = new AbortController();
    const place = downloads.enter('192.0.2.1', client.signal).then(() => started.push(i));
    return { place, leave: () => client.abort() };
  });
  const { signal } = new AbortController();
  expect(() => downloads.enter('192.0.2.1', signal)).toThrow(
    expect.objectContaining({ code: 'rate_limited' }) as Error,
  );
  await downloads.enter('192.0.2.2', signal);
  expect(started).toHaveLength(AT_ONCE);
  clients[0].leave();
  await clients[AT_ONCE].place;
  expect(started).toHaveLength(AT_ONCE + 1);
  for (const { leave } of clients.slice(AT_ONCE + 1)) leave();
  const waiting = await Promise.allSettled(clients.slice(AT_ONCE + 1).map(({ place }) => place));
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(jest.getTimerCount()).toBe(0);
});
