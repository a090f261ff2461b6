import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../../src/accounts/infrastructure/persistence/sqlite-driver';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { expectProblem } from '../support/problem';
import { formEnd, partHead, RawClient, requestHead, startService, type Service } from '../support/service';

let service: Service;
/** Takes a worker a good half of a second. */
let largePhoto: Buffer;
let smallPhoto: Buffer;
beforeAll(async () => {
  largePhoto = await photoJpeg(2600, 1950);
  smallPhoto = await photoJpeg(32, 32);
});
afterEach(() => service.stop('SIGKILL'));

/** Waits until this many workers have an image. */
async function untilBusy(workers = 1): Promise<void> {
  while ((await service.metrics())['ics_workers_busy'] !== workers) await pause(5);
}

function killWorkers(): void {
  for (const pid of workersOf(service.process.pid!)) process.kill(pid, 'SIGKILL');
}

const lostWorkers = async () => (await service.metrics())['ics_workers_lost_total'];

/** Waits until the service has noticed that it has to stop, on connections that nothing else will use. */
async function untilDraining(): Promise<void> {
  for (let isDraining = false; !isDraining;) {
    const client = new RawClient(service.port);
    client.write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n');
    isDraining = (await client.answer()).body.includes('"draining":true');
    client.close();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The worker processes of a service; none while all are being replaced. */
function workersOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

it('overloaded: a full queue refuses at once and serves the images it accepted', async () => {
  service = await startService({ WORKERS: '1', QUEUE_LIMIT: '1' });
  const { apiKey } = await service.signUp();
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.compress(largePhoto, apiKey)));
  const refused = answers.filter(({ status }) => status === 503);
  // One in progress and one that waits; a further one if it arrives after the first is done.
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const response of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectProblem(response, 503, 'overloaded');
  }
});

it('deadline_exceeded: an image that takes too long is aborted, and the next one is served', async () => {
  service = await startService({ WORKERS: '1', DEADLINE_MS: '150' });
  const { apiKey } = await service.signUp();
  await expectProblem(await service.compress(largePhoto, apiKey), 503, 'deadline_exceeded');
  // The duration depends on the machine: even a small image may miss 150 ms while the worker is replaced.
  let status = 503;
  while (status === 503) {
    await pause(200);
    ({ status } = await service.compress(smallPhoto, apiKey));
  }
  expect(status).toBe(200);
});

it('retries the image of a killed worker and keeps serving', async () => {
  service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const answer = service.compress(largePhoto, apiKey);
  await untilBusy();
  killWorkers();
  expect((await answer).status).toBe(200);
  // Also while it is idle.
  killWorkers();
  expect((await service.compress(smallPhoto, apiKey)).status).toBe(200);
});

it('responds 503 to an image that keeps killing workers, and serves the next one', async () => {
  service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const answer = service.compress(largePhoto, apiKey);
  for (let lost = 1; lost <= 2; lost++) {
    await untilBusy();
    killWorkers();
    while ((await lostWorkers()) < lost) await pause(5);
  }
  await expectProblem(await answer, 503, 'dependency_unavailable');
  expect((await service.compress(smallPhoto, apiKey)).status).toBe(200);
});

it('a slow upload is not charged to the deadline', async () => {
  service = await startService({ DEADLINE_MS: '3000' });
  const { apiKey } = await service.signUp();
  const jpeg = await photoJpeg(64, 48);
  const client = new RawClient(service.port);
  const length = partHead().length + jpeg.length + formEnd.length;
  client.write(requestHead(apiKey, { 'Content-Length': length }) + partHead());
  await pause(3300);
  client.write(jpeg);
  client.write(formEnd);
  expect((await client.answer()).status).toBe(200);
  client.close();
});

it('SIGTERM ends the process although connections without a request are open', async () => {
  // Waiting for them would take longer than a test may.
  service = await startService({ SHUTDOWN_TIMEOUT_MS: '3600000' });
  const [silent, halfway, later] = Array.from({ length: 3 }, () => new RawClient(service.port));
  halfway.write('POST /api/v1/compress HT');
  // Connections are accepted in their order.
  later.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect((await later.answer()).status).toBe(200);
  later.close();
  expect(await service.stop('SIGTERM')).toBe(0);
  silent.close();
  halfway.close();
});

it('SIGTERM ends the process even after the reader of its log has exited', async () => {
  service = await startService();
  for (const pipe of [service.process.stdout!, service.process.stderr!]) await once(pipe.destroy(), 'close');
  expect((await fetch(`${service.url}/nope`)).status).toBe(404);
  expect(await service.stop('SIGTERM')).toBe(0);
});

it('a locked database delays neither a finished image nor the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ics-lock-'));
  service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'service.db')}` });
  const { apiKey } = await service.signUp();
  const lock = new SqliteDatabase(join(folder, 'service.db'));
  lock.prepare('BEGIN IMMEDIATE').run();
  expect((await service.compress(smallPhoto, apiKey)).status).toBe(200);
  const refused = async () => {
    const headers = { 'X-API-Key': apiKey };
    const response = fetch(`${service.url}/api/v1/account/keys`, { method: 'POST', headers });
    await fetch(`${service.url}/health/live`);
    await expectProblem(await response, 503, 'dependency_unavailable');
  };
  // By default the driver blocks the process for 5 s, each time. On a slow machine some attempts may take as long.
  await eventually(async () => {
    const start = performance.now();
    await refused();
    expect(performance.now() - start).toBeLessThan(4_500);
  });
  lock.prepare('COMMIT').run();
  lock.close();
  const account = await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': apiKey } });
  expect(await account.json()).toMatchObject({ usage: { images: 1 } });
});

it('replaces a worker that hangs, and retries its image', async () => {
  service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  for (const pid of workersOf(service.process.pid!)) process.kill(pid, 'SIGSTOP');
  expect((await service.compress(smallPhoto, apiKey)).status).toBe(200);
  expect((await service.metrics())['ics_workers_lost_total']).toBe(1);
});

it('ready: a pool that finishes nothing is not ready although its processes run, and recovers', async () => {
  service = await startService({ WORKERS: '1' });
  const ready = () => fetch(`${service.url}/health/ready`);
  expect((await ready()).status).toBe(200);
  // The last finished image counts for some seconds.
  await pause(5_500);
  for (const pid of workersOf(service.process.pid!)) process.kill(pid, 'SIGSTOP');
  const failing = await ready();
  expect(failing.status).toBe(503);
  expect(await failing.json()).toMatchObject({ error: { compression: { verdict: 'not working' } } });
  while ((await ready()).status !== 200) await pause(50);
});

it('SIGTERM with a grace: not ready at once, still serving until proxies have noticed, then exit 0', async () => {
  service = await startService({ SHUTDOWN_GRACE_MS: '5000' });
  const { apiKey } = await service.signUp();
  const stopped = service.stop('SIGTERM');
  await untilDraining();
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
  expect((await service.compress(smallPhoto, apiKey)).status).toBe(200);
  expect(await stopped).toBe(0);
});

/** A request that is in progress until `finish` sends the end of its body. */
async function unfinished(apiKey: string) {
  const client = new RawClient(service.port);
  const body = Buffer.concat([Buffer.from(partHead()), largePhoto, Buffer.from(formEnd)]);
  client.write(requestHead(apiKey, { 'Content-Length': body.length }));
  client.write(body.subarray(0, -1));
  // The body is read, so the request has been admitted.
  while ((await service.metrics())['ics_upload_memory_bytes'] < body.length) await pause(5);
  return { client, finish: () => client.write(body.subarray(-1)) };
}

it('a second SIGTERM stops at once', async () => {
  service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const { client } = await unfinished(apiKey);
  const stopped = service.stop('SIGTERM');
  // Two signals at once count as one.
  await untilDraining();
  service.process.kill('SIGTERM');
  expect(await stopped).toBe(1);
  await client.closed;
});

it('draining: on SIGTERM finishes running requests, refuses new ones and exits with 0', async () => {
  service = await startService({ WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const { client, finish } = await unfinished(apiKey);
  const stopped = service.stop('SIGTERM');
  await untilDraining();
  await expectProblem(await service.compress(smallPhoto, apiKey), 503, 'draining');
  const ready = await fetch(`${service.url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: 'error', error: { lifecycle: { status: 'down' } } });
  finish();
  expect((await client.answer()).status).toBe(200);
  client.close();
  expect(await stopped).toBe(0);
});
