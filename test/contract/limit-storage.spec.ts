import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import pino from 'pino';
import { LimitStorage } from '../../src/rate-limit/limit-storage';
import { RedisWindow } from '../../src/rate-limit/redis-window';
import { until } from '../support/eventually';
import { redisUrl } from '../support/services';
import { TcpProxy } from '../support/tcp-proxy.cjs';

const logger = pino({ level: 'silent' });
const WINDOW_MS = 60_000;

interface Store {
  readonly replicas: readonly LimitStorage[];
  readonly pass: (key: string, ms: number) => Promise<void> | void;
  readonly close: () => void;
}

async function inMemory(): Promise<Store> {
  const storage = new LimitStorage(undefined, logger);
  await storage.start();
  expect(storage.store).toBe('memory');
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  return {
    replicas: [storage],
    pass: (_, ms) => void (passed += ms),
    close: () => {
      clock.mockRestore();
      storage.onApplicationShutdown();
    },
  };
}

/** Three replicas, and a client that changes the times in the sorted set of a key. */
async function inRedis(): Promise<Store> {
  const replicas = Array.from({ length: 3 }, () => new LimitStorage(new RedisWindow(redis), logger));
  await Promise.all(replicas.map((replica) => replica.start()));
  expect(replicas.map(({ store }) => store)).toEqual(['redis', 'redis', 'redis']);
  const client = createClient({ url: redis });
  await client.connect();
  return {
    replicas,
    async pass(key, ms) {
      const set = `ics:limit:${key}`;
      for (const member of await client.zRange(set, 0, -1)) await client.zIncrBy(set, -ms, member);
    },
    close: () => {
      client.destroy();
      for (const replica of replicas) replica.onApplicationShutdown();
    },
  };
}

const redis = redisUrl() ?? '';
const withRedis = redis ? it : it.skip;

describe.each([
  ['in memory', inMemory, true],
  ['in Redis, shared by three concurrent replicas', inRedis, redis !== ''],
])('%s', (_, open, isThere) => {
  const test = isThere ? it : it.skip;
  let store: Store;
  let turn = 0;
  const hit = (key: string, limit: number) =>
    store.replicas[turn++ % store.replicas.length].count(key, WINDOW_MS, limit);
  beforeEach(async () => {
    if (isThere) store = await open();
  });
  afterEach(() => {
    if (isThere) store.close();
  });

  test('accepts as many requests as the limit, in any order, and counts each key on its own', async () => {
    const key = randomUUID();
    const many = await Promise.all(Array.from({ length: 30 }, () => hit(key, 10)));
    const accepted = many.filter(({ isRefused }) => !isRefused).map(({ hits }) => hits);
    expect(accepted.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (__, i) => i + 1));
    expect((await hit(randomUUID(), 10)).isRefused).toBe(false);
  });

  test('says in how many seconds the oldest request leaves the window', async () => {
    const key = randomUUID();
    await hit(key, 1);
    await store.pass(key, WINDOW_MS - 20_000);
    const { isRefused, resetSeconds } = await hit(key, 1);
    expect(isRefused).toBe(true);
    expect(resetSeconds).toBeGreaterThan(0);
    expect(resetSeconds).toBeLessThanOrEqual(20);
  });

  test('has a free place when the oldest request leaves the window; refusals do not count', async () => {
    const key = randomUUID();
    await hit(key, 2);
    await store.pass(key, WINDOW_MS * 0.6);
    await hit(key, 2);
    expect((await hit(key, 2)).isRefused).toBe(true);
    await store.pass(key, WINDOW_MS * 0.5);
    expect((await hit(key, 2)).isRefused).toBe(false);
    expect((await hit(key, 2)).isRefused).toBe(true);
  });

  test('counts no longer what is given back, also of a full window', async () => {
    const key = randomUUID();
    const [replica] = store.replicas;
    const count = () => replica.count(key, WINDOW_MS, 2);
    await replica.giveBack(key);
    await count();
    await replica.giveBack(key);
    expect([await count(), await count(), await count()].map(({ isRefused }) => isRefused)).toEqual([
      false,
      false,
      true,
    ]);
    await replica.giveBack(key);
    expect((await count()).isRefused).toBe(false);
    expect((await count()).isRefused).toBe(true);
  });
});

withRedis.each(['cut', 'silence'] as const)(
  'counts in memory while Redis is unavailable (%s), logs it, and uses Redis again afterwards',
  async (outage) => {
    const wire = new TcpProxy(redis);
    await wire.open();
    const said: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void said.push(line) });
    const storage = new LimitStorage(new RedisWindow(wire.url), log);
    await storage.start();
    const key = randomUUID();
    const hit = () => storage.count(key, 60_000, 3);
    expect((await hit()).hits).toBe(1);
    await wire[outage]();
    const during = [await hit(), await hit(), await hit(), await hit()];
    expect(during.map(({ isRefused }) => isRefused)).toEqual([false, false, false, true]);
    expect(storage.store).toBe('memory, while redis is unavailable');
    await wire.open();
    await until(() => storage.store === 'redis');
    expect((await hit()).hits).toBe(2);
    expect(said.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([50, 40]);
    storage.onApplicationShutdown();
    await wire.cut();
  },
);

withRedis('starts without Redis and uses it once it is available', async () => {
  const wire = new TcpProxy(redis);
  await wire.open();
  await wire.cut();
  const storage = new LimitStorage(new RedisWindow(wire.url), logger);
  await storage.start();
  expect(storage.store).toBe('memory, while redis is unavailable');
  await wire.open();
  await until(() => storage.store === 'redis');
  storage.onApplicationShutdown();
  await wire.cut();
});
