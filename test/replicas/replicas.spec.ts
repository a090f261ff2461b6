/** Three replicas behind nginx with PostgreSQL and Redis: their shared state, and outages of each part. */
import { until } from '../support/eventually';
import { graphicPng, photoJpeg } from '../support/images';
import { startNginx, type Proxy } from '../support/nginx';
import { expectProblem, expectStatus } from '../support/responses';
import { callsOf, startService, type Service } from '../support/service';
import { freshDatabase, hasPrograms, postgresUrl, redisUrl } from '../support/services';
import { TcpProxy } from '../support/tcp-proxy.cjs';

const image = graphicPng(16, 16);

const postgresServer = postgresUrl() ?? '';
const redisServer = redisUrl() ?? '';
const describeWithServers = postgresServer && redisServer && hasPrograms('nginx') ? describe : describe.skip;

let replicas: readonly Service[];
let proxy: Proxy;
let database: TcpProxy;
let redis: TcpProxy;

/** Starts three replicas for the tests around it; with wires, these can cut the connections to PostgreSQL and Redis. */
function useFleet(env: Record<string, string>, hasWires: boolean) {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    fresh = await freshDatabase(postgresServer);
    // The TCP proxies run in this process, and only for the tests that cut connections.
    [database, redis] = [new TcpProxy(fresh.url), new TcpProxy(redisServer)];
    await Promise.all([database.open(), redis.open()]);
    const stores = hasWires
      ? { DATABASE_URL: database.url, REDIS_URL: redis.url }
      : { DATABASE_URL: fresh.url, REDIS_URL: redisServer };
    // All start at once on an empty database and migrate it in turns.
    replicas = await Promise.all([1, 2, 3].map(() => startService({ ...stores, ...env })));
    proxy = await startNginx(replicas.map(({ port }) => port));
  });
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    await Promise.all([database.cut(), redis.cut()]);
    await fresh.drop();
  });
}

const signUp = () => callsOf(proxy.url).signUp();

describeWithServers('three replicas', () => {
  useFleet({ RATE_LIMIT_PER_MINUTE: '20', QUEUE_LIMIT: '100' }, false);

  it('accept exactly 20 of 90 concurrent requests of an account, and say so in every response', async () => {
    const { send } = await signUp();
    const answers = await Promise.all(Array.from({ length: 90 }, () => send(image)));
    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).toEqual([20, 70]);
    const remaining = accepted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const replica of replicas) {
      const labels = 'method="POST",route="/api/v1/compress"';
      const metrics = await replica.metrics();
      const seen = Object.keys(metrics).filter((name) =>
        name.startsWith(`ics_http_requests_total{${labels}`),
      );
      expect(seen.length).toBeGreaterThan(0);
    }
  });

  it('make exactly the images of a trial, and count each of them once', async () => {
    const { apiKey, images } = await replicas[0].openTrial();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callsOf(proxy.url).compress(image, apiKey)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(images).fill(200), ...Array<number>(20 - images).fill(403)]);

    const ask = async (replica: Service, path: string) =>
      (await replica.api(`account${path}`, { apiKey })).json();
    // Each replica writes its part before it answers.
    for (const replica of replicas) await ask(replica, '');
    for (const replica of replicas) {
      expect(await ask(replica, '')).toMatchObject({ usage: { images }, trial: { imagesLeft: 0 } });
      expect(await ask(replica, '/usage')).toMatchObject({ usage: [{ images }] });
    }
  });

  it('refuse a revoked key at once', async () => {
    const { apiKey, keyId } = await signUp();
    for (const replica of replicas) await expectStatus(replica.compress(image, apiKey), 200);
    await replicas[0].api(`account/keys/${keyId}`, { method: 'DELETE', apiKey });
    for (const replica of replicas) {
      await expectProblem(replica.compress(image, apiKey), 401, 'invalid_api_key');
    }
  });

  it('lose only the requests of a busy one that is killed', async () => {
    const { send } = await signUp();
    // Takes longer than a look at the metrics, also on a fast machine.
    const photo = await photoJpeg(3200, 2400);
    const answers = Array.from({ length: 9 }, () => send(photo));
    const [victim] = replicas;
    await until(async () => (await victim.metric('workers_busy')) > 0);
    const held = await victim.metric('requests_in_flight');
    victim.process.kill('SIGKILL');
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    const lost = statuses.filter((status) => status !== 200);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(held);
    expect(new Set(lost)).toEqual(new Set([502]));
    // From now on the proxy uses the others.
    for (let i = 0; i < 6; i++) await expectStatus(send(image), 200);
  });
});

describeWithServers('three replicas that lose their stores', () => {
  useFleet({ RATE_LIMIT_PER_MINUTE: '5' }, true);

  it('respond 503 without PostgreSQL and are not ready; recover without a restart', async () => {
    const { apiKey } = await signUp();
    const [replica] = replicas;
    await database.cut();
    const refused = await replica.compress(image, apiKey);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectProblem(refused, 503, 'dependency_unavailable');
    await expectStatus(fetch(`${replica.url}/health/ready`), 503);
    await expectStatus(fetch(`${replica.url}/health/live`), 200);
    await database.open();
    for (const { url } of replicas)
      await until(async () => (await fetch(`${url}/health/ready`)).status === 200);
    await expectStatus(replica.compress(image, apiKey), 200);
  });

  it('count in memory while Redis is unavailable, and share their counts again afterwards', async () => {
    const { apiKey } = await signUp();
    const health = async ({ url }: Service) => {
      const response = await fetch(`${url}/health/ready`);
      const { details } = (await response.json()) as { details: { rate_limits: { store: string } } };
      return [response.status, details.rate_limits.store];
    };
    const fallbacks = async () =>
      Promise.all(replicas.map((replica) => replica.metric('rate_limit_fallback')));
    expect(await Promise.all(replicas.map(health))).toEqual(replicas.map(() => [200, 'redis']));
    await redis.cut();
    for (const replica of replicas) {
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push((await replica.compress(image, apiKey)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(await health(replica)).toEqual([200, 'memory, while redis is unavailable']);
    }
    expect(await fallbacks()).toEqual([1, 1, 1]);
    await redis.open();
    await until(async () => (await fallbacks()).every((value) => value === 0));
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await replicas[i % 3].compress(image, apiKey)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const said = replicas[0].logs().filter(({ message }) => String(message).startsWith('rate limits:'));
    // On a very busy machine a reply can be late once more, which is a further outage.
    expect(said.map(({ level }) => level).slice(0, 2)).toEqual(['error', 'warn']);
  });
});
