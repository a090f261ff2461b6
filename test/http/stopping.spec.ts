import { once } from 'node:events';
import { until } from '../support/eventually';
import { temporaryFile } from '../support/folders';
import { photoJpeg } from '../support/images';
import { expectProblem, expectStatus } from '../support/responses';
import { exchange, formBody, RawClient, requestHead, type Service, startService } from '../support/service';
import { openSqlite } from '../support/sqlite-file';

let service: Service;
let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(32, 32)));
afterEach(() => service.stop('SIGKILL'));

/** Waits until the service has noticed that it has to stop, on connections that nothing else will use. */
async function untilDraining() {
  for (let isDraining = false; !isDraining;) {
    const head = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n';
    isDraining = (await exchange(service.port, head)).body.includes('"draining":true');
  }
}

it('SIGTERM ends the process although connections without a request are open', async () => {
  // Waiting for them would take longer than a test may.
  service = await startService({ SHUTDOWN_TIMEOUT_MS: '3600000' });
  const [silent, halfway, later] = Array.from({ length: 3 }, () => new RawClient(service.port));
  halfway.write('POST /api/v1/compress HT');
  // Connections are accepted in their order.
  later.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expectStatus(later.answer(), 200);
  later.close();
  expect(await service.stop('SIGTERM')).toBe(0);
  silent.close();
  halfway.close();
});

it('SIGTERM ends the process even after the reader of its log has exited', async () => {
  service = await startService();
  for (const pipe of [service.process.stdout!, service.process.stderr!]) await once(pipe.destroy(), 'close');
  await expectStatus(fetch(`${service.url}/nope`), 404);
  expect(await service.stop('SIGTERM')).toBe(0);
});

it('SIGTERM with a grace: not ready at once, still serving until proxies have noticed', async () => {
  service = await startService({ SHUTDOWN_GRACE_MS: '600000' });
  const { send } = await service.signUp();
  const stopped = service.stop('SIGTERM');
  await untilDraining();
  await expectStatus(fetch(`${service.url}/health/ready`), 503);
  await expectStatus(send(photo), 200);
  service.process.kill('SIGTERM');
  expect(await stopped).toBe(1);
});

it('SIGTERM with a grace: exit 0 when it is over', async () => {
  service = await startService({ SHUTDOWN_GRACE_MS: '1' });
  expect(await service.stop('SIGTERM')).toBe(0);
});

/** A request that is in progress until `finish` sends the end of its body. */
async function unfinished(apiKey: string) {
  const client = new RawClient(service.port);
  const body = formBody(photo);
  client.write(requestHead(apiKey, { 'Content-Length': body.length }));
  client.write(body.subarray(0, -1));
  // The body is read, so the request has been admitted.
  await until(async () => (await service.metric('upload_memory_bytes')) >= body.length);
  return { client, finish: () => client.write(body.subarray(-1)) };
}

it('the image of a trial comes back if its upload is cut at the end', async () => {
  const url = `sqlite:${temporaryFile('trial.db')}`;
  service = await startService({ DATABASE_URL: url, SHUTDOWN_TIMEOUT_MS: '0', TRIAL_IMAGES: '3' });
  const { client } = await unfinished((await service.openTrial()).apiKey);
  expect(await service.stop('SIGTERM')).toBe(0);
  await client.closed;
  const database = openSqlite(url);
  expect(database.prepare('SELECT trial_images_left AS images FROM accounts').all()).toEqual([{ images: 3 }]);
  database.close();
});

it('a second SIGTERM stops at once', async () => {
  service = await startService();
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
  service = await startService();
  const { apiKey, send } = await service.signUp();
  const { client, finish } = await unfinished(apiKey);
  const stopped = service.stop('SIGTERM');
  await untilDraining();
  await expectProblem(send(photo), 503, 'draining');
  const ready = await fetch(`${service.url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: 'error', error: { lifecycle: { status: 'down' } } });
  finish();
  await expectStatus(client.answer(), 200);
  client.close();
  expect(await stopped).toBe(0);
});
