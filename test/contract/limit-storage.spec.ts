/** One suite for every store of rate limits. */
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { LimitStorage } from '../../src/rate-limit/limit-storage';
import { RedisWindow } from '../../src/rate-limit/redis-window';
import { redisUrl } from '../support/services';
import { TcpProxy } from '../support/tcp-proxy.cjs';

const logger = pino({ level: 'silent' });
const WINDOW_MS = 1_500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function suite(replicas: readonly LimitStorage[]): Promise<void> {
  let turn = 0;
  const hit = (key: string, limit: number) =>
    replicas[turn++ % replicas.length].increment(key, WINDOW_MS, limit, 0, 'account');

  const account = randomUUID();
  const many = await Promise.all(Array.from({ length: 30 }, () => hit(account, 10)));
  expect(many.filter(({ isBlocked }) => !isBlocked).map(({ totalHits }) => totalHits)).toEqual(
    Array.from({ length: 10 }, (_, i) => i + 1),
  );
  for (const { timeToBlockExpire } of many.filter(({ isBlocked }) => isBlocked)) {
    expect([1, 2]).toContain(timeToBlockExpire);
  }
  expect((await hit(randomUUID(), 10)).isBlocked).toBe(false);
  await slides((limit) => hit(`${account}-slides`, limit));
}

/**
 * A place becomes free when the oldest request leaves the window, not at the end of a fixed minute; refusals do not
 * count.
 */
async function slides(hit: (limit: number) => ReturnType<LimitStorage['increment']>): Promise<void> {
  await hit(2);
  await pause(WINDOW_MS * 0.6);
  await hit(2);
  expect((await hit(2)).isBlocked).toBe(true);
  await pause(WINDOW_MS * 0.5);
  expect((await hit(2)).isBlocked).toBe(false);
  expect((await hit(2)).isBlocked).toBe(true);
}

it('memory', async () => {
  const storage = new LimitStorage(undefined, logger);
  await storage.start();
  expect(storage.store).toBe('memory');
  await suite([storage]);
  storage.onApplicationShutdown();
});

const redis = redisUrl() ?? '';
const withRedis = redis ? it : it.skip;

withRedis('Redis shared by three concurrent replicas', async () => {
  const replicas = Array.from({ length: 3 }, () => new LimitStorage(new RedisWindow(redis), logger));
  await Promise.all(replicas.map((replica) => replica.start()));
  expect(replicas.map(({ store }) => store)).toEqual(['redis', 'redis', 'redis']);
  await suite(replicas);
  for (const replica of replicas) replica.onApplicationShutdown();
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
    const hit = () => storage.increment(key, 60_000, 3, 0, 'account');
    expect((await hit()).totalHits).toBe(1);
    await wire[outage]();
    // Requests are still counted without errors.
    const during = [await hit(), await hit(), await hit(), await hit()];
    expect(during.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true]);
    expect(storage.store).toBe('memory, while redis is unavailable');
    await wire.open();
    while (storage.store !== 'redis') await pause(50);
    expect((await hit()).totalHits).toBe(2);
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
  while (storage.store !== 'redis') await pause(50);
  storage.onApplicationShutdown();
  await wire.cut();
});
