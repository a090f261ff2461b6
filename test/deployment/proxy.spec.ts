/** Runs the proxy's configuration in a real nginx in front of real replicas; only the addresses are replaced. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Folder } from '../support/folders';
import { PROXY_PROBLEMS } from '../../src/contract/proxy-problems';
import { eventually, until } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { callsOf, exchange, startService, type Service } from '../support/service';
import { hasPrograms } from '../support/services';
import { config, freePorts, run, unfinishedSignUp, untilListening } from './tools';

const ofProxy = (code: string) => {
  const found = PROXY_PROBLEMS.find(({ problem }) => problem.code === code);
  if (!found) throw new Error(`nginx sends no ${code}`);
  return found.problem;
};
const configuration = config.text('proxy/nginx.conf');

(hasPrograms('nginx') ? describe : describe.skip)('behind nginx', () => {
  const place = new Folder();
  const file = place.path('nginx.conf');
  let replicas: Service[];
  let nginx: ChildProcess;
  let url: string;
  let apiKey: string;

  beforeAll(async () => {
    const env = {
      WORKERS: '1',
      TRUST_PROXY: '1',
      SIGNUP_LIMIT_PER_HOUR: '1',
      DATABASE_URL: `sqlite:${place.path('s.db')}`,
    };
    replicas = [await startService(env)];
    replicas.push(await startService(env));
    const [front, alive, nobody] = await freePorts(3);
    url = `http://127.0.0.1:${front}`;
    const ports = [...replicas.map(({ port }) => port), nobody];
    place.put(
      'nginx.conf',
      configuration
        .replace(/replica-(\d):3000/g, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`)
        .replace('listen 8080', `listen 127.0.0.1:${front}`)
        .replace('127.0.0.1:8081', `127.0.0.1:${alive}`)
        .replaceAll('/tmp/', `${place.folder}/`)
        .replace('/dev/stdout', place.path('access.log')),
    );
    nginx = spawn('nginx', ['-c', file, '-g', 'daemon off;'], { stdio: 'ignore' });
    await untilListening(front);
    apiKey = (await callsOf(url).signUp()).apiKey;
  });

  afterAll(async () => {
    nginx.kill('SIGQUIT');
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
  });

  const signUp = (email: string, headers: Record<string, string> = {}) =>
    callsOf(url).api('accounts', { headers, json: { email } });
  const compress = (image: Uint8Array, key = apiKey) => callsOf(url).compress(image, key);

  it('nginx accepts the configuration', () => {
    const { status, output } = run('nginx', '-t', '-c', file);
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  it('images are served although one replica is missing', async () => {
    const photo = await photoJpeg(300, 200);
    const answers = await Promise.all(Array.from({ length: 12 }, () => compress(photo)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  it('a refusal arrives unchanged before the body has been sent', async () => {
    const large = randomBytes(19 * 1024 * 1024);
    await expectProblem(compress(large, 'no-key'), 401, 'invalid_api_key');
    await expectProblem(compress(large), 415, 'unsupported_media_type');
    const sent = place.text('access.log').trim().split('\n').slice(-2);
    for (const line of sent) {
      expect(Number((JSON.parse(line) as { bytesIn: string }).bytesIn)).toBeLessThan(large.length);
    }
  });

  it('just above the limit the service refuses, far above it nginx, in the same format', async () => {
    const own = await expectProblem(compress(randomBytes(20.5 * 1024 * 1024)), 413, 'image_too_large');
    expect(own['limit']).toBe(20 * 1024 * 1024);
    const theirs = await expectProblem(compress(randomBytes(22 * 1024 * 1024)), 413, 'image_too_large');
    expect(theirs['limit']).toBeUndefined();
    expect(theirs['detail']).toBe(ofProxy('image_too_large').detail);
  });

  it.each([
    ['/shrink', 22 * 1024 * 1024],
    ['/output/some-id', 20_000],
  ])(
    "%s: nginx refuses a body that is too large in the language of Tinify's clients",
    async (path, bytes) => {
      const response = await fetch(url + path, { method: 'POST', body: randomBytes(bytes) });
      expectHead(response, { 'content-type': 'application/json', status: 413 });
      const { detail } = ofProxy('image_too_large');
      expect(await response.json()).toEqual({ error: 'ImageTooLarge', message: detail });
    },
  );

  it('a sign-up has a small body', async () => {
    const large = `${'x'.repeat(20_000)}@example.com`;
    await expectProblem(signUp(large), 413, 'image_too_large');
  });

  it('errors of nginx have the format of a problem', async () => {
    const { detail: notAllowed } = ofProxy('method_not_allowed');
    const refusals: [string, number][] = [
      ['TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405],
      ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\n\r\n', 400],
      ['NONSENSE\r\n\r\n', 400],
      ['GET / HTTP/7.1\r\nHost: a\r\n\r\n', 400],
      ['GET /.problems/invalid_request HTTP/1.1\r\nHost: a\r\n\r\n', 404],
      [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
      [`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ];
    for (const [request, status] of refusals) {
      const { body, ...head } = await exchange(Number(new URL(url).port), request);
      const headers = { 'content-type': 'application/problem+json', 'x-content-type-options': 'nosniff' };
      expect(head).toMatchObject({ status, headers });
      const { code, detail } = JSON.parse(body) as Record<string, string>;
      const expected =
        code === 'method_not_allowed' ? notAllowed.replace('$request_method', 'TRACE') : ofProxy(code).detail;
      expect(detail).toBe(expected);
    }
  });

  it('one address can have at most 64 requests in progress; others get 429', async () => {
    const begin = () => unfinishedSignUp(Number(new URL(url).port));
    let open = Array.from({ length: 64 }, begin);
    const response = await eventually(async () => {
      // nginx ends requests whose body does not arrive, and refuses those that come while earlier ones still count.
      open = open.map((socket) => (socket.destroyed ? begin() : socket));
      const answer = await fetch(`${url}/docs`);
      expect(answer.status).toBe(429);
      return answer;
    });
    expectHead(response, { 'retry-after': '1' });
    const { limit } = await expectProblem(response, 429, 'rate_limited');
    expect(limit).toBe(64);
    open.forEach((socket) => socket.destroy());
    await eventually(() => expectStatus(fetch(`${url}/docs`), 200));
  });

  it('probes and metrics cannot be reached from outside', async () => {
    for (const path of ['health', 'health/live', 'health/ready', 'HEALTH/ready', 'Metrics', 'metrics'])
      await expectProblem(fetch(`${url}/${path}`), 404, 'not_found');
  });

  it('a client cannot forge its address', async () => {
    // Without Redis each of two replicas counts on its own, so one more sign-up may succeed, with any forged address.
    const statuses = [];
    for (const n of [2, 3, 4]) {
      const answer = await signUp(`person${n}@example.com`, { 'X-Forwarded-For': `203.0.113.${n}` });
      if (answer.status === 429) await expectProblem(answer, 429, 'rate_limited');
      statuses.push(answer.status);
    }
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
    expect(statuses).toContain(429);
  });

  it('a killed replica fails only its own requests, with 503', async () => {
    const photo = await photoJpeg(3000, 2000);
    const running = Promise.all(Array.from({ length: 4 }, () => compress(photo)));
    await until(async () => (await replicas[0].metric('requests_in_flight')) > 0);
    const own = await replicas[0].metric('requests_in_flight');
    replicas[0].process.kill('SIGKILL');
    const answers = await running;
    const lost = answers.filter(({ status }) => status !== 200);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(own + 1);
    for (const answer of lost) await expectProblem(answer, 503, 'dependency_unavailable');
    const small = await photoJpeg(64, 64);
    await expectStatus(compress(small), 200);
  });

  it('without any replica the response is 503 with Retry-After', async () => {
    replicas[1].process.kill('SIGKILL');
    const answer = await fetch(`${url}/api/v1/account`);
    expectHead(answer, { 'retry-after': '5' });
    await expectProblem(answer, 503, 'dependency_unavailable');
  });
});
