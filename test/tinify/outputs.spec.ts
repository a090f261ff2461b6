import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { temporaryFile } from '../support/folders';
import { photoJpeg } from '../support/images';
import { bytesOf, startService } from '../support/service';
import { postgresUrl } from '../support/services';
import { sharedClient } from '../support/shared-service';
import { changeAccount, execute } from '../support/sqlite-file';
import { basic, expectError, locationOf, ownCaller, TinifyCaller } from '../support/tinify';
import { expectHead, expectStatus } from '../support/responses';

const service = sharedClient();
const caller = ownCaller(service);
const off = sharedClient('closed');
let photo: Buffer;

beforeAll(async () => (photo = await photoJpeg(320, 240)));

it('HEAD of an output has the headers of GET; other methods are 405', async () => {
  const path = await caller.upload(photo);
  const head = await caller.send('HEAD', path);
  expectHead(head, { status: 200, 'image-width': '320' });
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  const allowed = { '/shrink': 'POST', [path]: 'GET, HEAD, POST', [`/keys/${caller.key}`]: 'GET, HEAD' };
  for (const [url, methods] of Object.entries(allowed)) {
    const response = await caller.send('DELETE', url);
    expectHead(response, { status: 405, allow: methods });
  }
});

it('GET /keys/KEY tells whether a key is valid', async () => {
  await caller.shrink(photo);
  const valid = await fetch(`${service.url}/keys/${caller.key}`);
  expectHead(valid, { status: 200, 'compression-count': '1' });
  await expectError(fetch(`${service.url}/keys/ics_wrong`), 401, 'Unauthorized');
});

it('an expired output is not found, not even by commands', async () => {
  const path = await caller.upload(photo);
  execute(service.databaseUrl, 'UPDATE tinify_outputs SET expires_at = unixepoch() * 1000');
  await expectError(fetch(`${service.url}${path}`), 404, 'NotFound');
  await expectError(caller.command(path, { preserve: ['copyright'] }), 404, 'NotFound');
});

it('an output that cannot be read to its end breaks off, and the log says that the service failed', async () => {
  const path = await caller.upload(photo);
  const folder = service.databaseUrl.replace(/^sqlite:(.*)\.db$/, '$1-outputs');
  const holdBytes = (held: number, stated: number) => {
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), held);
    execute(service.databaseUrl, `UPDATE tinify_outputs SET result_bytes = ${stated}`);
  };
  // Its second piece is missing.
  holdBytes(1_048_576, 1_048_577);
  await expect(bytesOf(await fetch(`${service.url}${path}`))).rejects.toThrow('terminated');
  const line = { path: '/output/...', status: 500, code: 'internal_error', message: 'request' };
  await eventually(() => expect(service.logs()).toContainEqual(expect.objectContaining(line)));
  // A part of its only piece is.
  holdBytes(9, 10);
  await expectError(fetch(`${service.url}${path}`), 500, 'InternalError');
});

it('a suspended account gets the status of an invalid key, which clients recognise', async () => {
  const account = await service.signUp();
  changeAccount(service.databaseUrl, account, "status = 'suspended'");
  const Authorization = basic(account.apiKey);
  await expectError(caller.shrink(photo, { Authorization }), 401, 'Unauthorized', 'suspended');
  await expectError(fetch(`${service.url}/keys/${account.apiKey}`), 401, 'Unauthorized');
});

it('a trial pays for uploads, commands and what fails in a worker, and gets back the rest', async () => {
  const trial = await service.openTrial();
  changeAccount(service.databaseUrl, trial, 'trial_images_left = 3');
  const { apiKey } = trial;
  const Authorization = basic(apiKey);
  const imagesLeft = async () => {
    const account = await service.api('account', { apiKey });
    return ((await account.json()) as { trial: { imagesLeft: number } }).trial.imagesLeft;
  };
  await expectError(caller.shrink('words', { Authorization }), 415, 'UnsupportedMediaType');
  await eventually(async () => expect(await imagesLeft()).toBe(3));
  await expectError(caller.shrink(photo.subarray(0, 400), { Authorization }), 422, 'UndecodableImage');
  expect(await imagesLeft()).toBe(2);
  const path = locationOf(await caller.shrink(photo, { Authorization }));
  await expectStatus(caller.command(path, { preserve: ['copyright'] }, { Authorization }), 200);
  await expectError(caller.shrink(photo, { Authorization }), 429, 'TooManyRequests');
});

it('neither keys nor ids of outputs are logged', async () => {
  const path = await caller.upload(photo);
  await fetch(`${service.url}${path}`);
  await fetch(`${service.url}/keys/${caller.key}`);
  await caller.send('DELETE', `/keys/${caller.key}`);
  for (const strange of ['//keys', '/x/keys', '/%6beys', '/api/v1/compress'])
    await fetch(`${service.url}${strange}/${caller.key}`);
  for (const strange of ['//output', '/x/output', '/%6futput', '/%256Futput', '/output%2f'])
    await fetch(`${service.url}${strange}/${path.slice('/output/'.length)}`);
  await fetch(`${service.url}/keys/last`);
  const paths = () => service.logs().map((line) => line['path']);
  await eventually(() =>
    expect(paths().filter((path) => path === '/keys/...').length).toBeGreaterThanOrEqual(5),
  );
  expect(paths()).toEqual(expect.arrayContaining(['/shrink', '/output/...', '/keys/...']));
  const text = JSON.stringify(service.logs());
  expect(text).not.toContain(caller.key);
  expect(text).not.toContain(path.slice('/output/'.length));
});

it('without TINIFY_API there are no routes', async () => {
  const routes = [
    fetch(`${off.url}/shrink`, { method: 'POST' }),
    fetch(`${off.url}/output/a`),
    fetch(`${off.url}/keys/a`),
  ];
  for (const { status, headers } of await Promise.all(routes))
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
});

(postgresUrl() ? describe : describe.skip)('with PostgreSQL', () => {
  const replica = sharedClient('postgres');

  it('replicas share outputs', async () => {
    const second = await startService({ TINIFY_API: 'on', DATABASE_URL: replica.databaseUrl });
    const { apiKey } = await replica.signUp();
    const [here, there] = [replica, second].map((each) => new TinifyCaller(each, apiKey));
    const path = await here.upload(photo);
    const [own, other] = await Promise.all([here, there].map((each) => each.send('GET', path)));
    expect(await bytesOf(other)).toEqual(await bytesOf(own));
    const resized = await there.command(path, { resize: { method: 'scale', width: 32 } });
    expectHead(resized, { status: 200, 'compression-count': expect.any(String) as string });
    expect(await second.stop()).toBe(0);
  });
});

it('an image is not charged for if its count cannot be read', async () => {
  const url = `sqlite:${temporaryFile('own.db')}`;
  const own = await startService({ TINIFY_API: 'on', DATABASE_URL: url });
  const client = new TinifyCaller(own, (await own.signUp()).apiKey);
  const path = await client.upload(photo);
  execute(url, 'ALTER TABLE monthly_usage RENAME TO elsewhere');
  await expectError(client.shrink(photo), 500, 'InternalError');
  await expectError(client.command(path, { preserve: ['copyright'] }), 500, 'InternalError');
  execute(url, 'ALTER TABLE elsewhere RENAME TO monthly_usage');
  expectHead(await client.shrink(photo), { 'compression-count': '2' });
  await own.stop();
});
