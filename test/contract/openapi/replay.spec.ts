/** Produces every documented response with a real service, over a socket. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from '../../support/folders';
import { statusOfGreedyFormat } from '../../support/greedy-format';
import { graphicPng, photoJpeg } from '../../support/images';
import { missingAnswers, replayAgainstDocument } from '../../support/replay';
import {
  formWith,
  partHead,
  RawClient,
  requestHead,
  startService,
  type Service,
} from '../../support/service';
import { sharedClient } from '../../support/shared-service';
import { changeAccount } from '../../support/sqlite-file';
import { wrongForms } from './wrong-forms';
import { expectStatus } from '../../support/responses';

const FAULTS = join(__dirname, 'faults.cjs');
const KEYS = ['GET account/keys', 'POST account/keys', 'DELETE account/keys/no-such'];
const WITH_KEY = ['GET account', 'GET account/usage', ...KEYS];
const PUBLIC = ['/health/live', '/health/ready', '/openapi.json', '/docs'];
const IMAGES = ['POST compress'];
const OPEN = ['POST accounts', 'POST trials', ...PUBLIC.map((path) => `GET ${path}`)];

const tight = sharedClient('tight');
const closed = sharedClient('closed');
const databaseUrl = `sqlite:${temporaryFile('service.db')}`;
const outageFile = temporaryFile('outage');
let service: Service;
let key: { accountId: string; keyId: string; apiKey: string };
let jpeg: Buffer;
beforeAll(async () => {
  service = await startService({
    TEST_OUTAGE_FILE: outageFile,
    DATABASE_URL: databaseUrl,
    MAX_UPLOAD_MB: '1',
    NODE_OPTIONS: `--require ${FAULTS}`,
  });
  key = await service.signUp();
  jpeg = await photoJpeg(64, 48);
});
afterAll(() => service.stop());

/** `GET account` is short for the address below /api/v1. */
function ask(operation: string, headers: Record<string, string> = {}, body?: FormData | string) {
  const [method, path] = operation.split(' ');
  const url = `${service.url}${path.startsWith('/') ? '' : '/api/v1/'}${path}`;
  const json =
    typeof body === 'string' && !headers['Content-Type'] ? { 'Content-Type': 'application/json' } : {};
  return fetch(url, { method, headers: { ...json, ...headers }, ...(body ? { body } : {}) });
}

const compress = (body: FormData | string, headers: Record<string, string> = {}) =>
  ask('POST compress', { 'X-API-Key': key.apiKey, ...headers }, body);

it('successful responses', async () => {
  const withKey = { 'X-API-Key': key.apiKey };
  for (const file of [jpeg, graphicPng(32, 32)]) await compress(formWith(file));
  for (const format of ['webp', 'avif', 'jxl'])
    await ask(`POST compress?format=${format}`, withKey, formWith(jpeg));
  for (const operation of [...WITH_KEY, ...OPEN]) await ask(operation, withKey);
  await ask('HEAD /docs');
  const second = (await (await ask('POST account/keys', withKey)).json()) as { keyId: string };
  await ask(`DELETE account/keys/${second.keyId}`, withKey);
});

it('errors of the form, the image and the URL', async () => {
  const withKey = { 'X-API-Key': key.apiKey };
  const wrong = wrongForms(jpeg);
  for (const { operation, body, headers } of wrong) await ask(operation, { ...withKey, ...headers }, body);
  await ask('POST accounts', {}, '{');
  await ask('DELETE account/keys/%E0%A4%A', withKey);
});

const openTrial = async () => (await (await ask('POST trials')).json()) as typeof key;

it('errors of authentication and authorization', async () => {
  const other = await service.signUp();
  const suspended = await service.signUp();
  const [trial, expired] = [await openTrial(), await openTrial()];
  changeAccount(databaseUrl, suspended, "status = 'suspended'");
  changeAccount(databaseUrl, trial, 'trial_images_left = 0');
  changeAccount(databaseUrl, expired, "trial_expires_at = datetime('now')");
  await compress(formWith(jpeg), { 'X-API-Key': trial.apiKey });
  for (const operation of [...WITH_KEY, ...IMAGES]) {
    const body = IMAGES.includes(operation) ? formWith(jpeg) : undefined;
    await ask(operation, { 'X-API-Key': expired.apiKey }, body);
    await ask(operation, {}, body);
    await ask(operation, { 'X-API-Key': 'ics_wrong' }, body);
    await ask(operation, { 'X-API-Key': key.apiKey, Authorization: `Bearer ${other.apiKey}` }, body);
    await ask(operation, { 'X-API-Key': suspended.apiKey }, body);
  }
  for (let i = 0; i < 2; i++) await ask('POST accounts', {}, '{"email":"twice@example.com"}');
});

it('errors of account limits', async () => {
  const withKey = { 'X-API-Key': key.apiKey };
  for (const path of ['keys?after=nonsense', 'usage?from=now'])
    await expectStatus(ask(`GET account/${path}`, withKey), 400);
  for (let live = 1; live < 20; live++) await ask('POST account/keys', withKey);
  await expectStatus(ask('POST account/keys', withKey), 409);

  const { apiKey } = await tight.signUp();
  for (let i = 0; i <= 10; i++) await expectStatus(tight.compress(jpeg, apiKey), i < 10 ? 200 : 429);
  for (let i = 0; i < 5; i++) await tight.api('account', { apiKey });
  for (const operation of WITH_KEY) {
    const [method, path] = operation.split(' ');
    await expectStatus(tight.api(path, { method, apiKey }), 429);
  }
});

it('no new key for an account of the configuration', async () => {
  const open = await startService({ AUTH: 'off' });
  await expectStatus(open.api('account/keys', { method: 'POST' }), 403);
  await open.stop();
});

it('errors of the service', async () => {
  const headers = { 'X-API-Key': key.apiKey, 'X-Test-Fault': '1' };
  for (const operation of [...WITH_KEY, ...OPEN]) {
    const body = operation === 'POST accounts' ? '{"email":"fault@example.com"}' : undefined;
    await expectStatus(ask(operation, headers, body), 500);
  }
  await expectStatus(compress(formWith(jpeg), headers), 500);
});

it('an unreachable database', async () => {
  writeFileSync(outageFile, '');
  for (const operation of WITH_KEY) {
    await expectStatus(ask(operation, { 'X-API-Key': key.apiKey }), 503);
  }
  await expectStatus(compress(formWith(jpeg)), 503);
  await expectStatus(ask('POST accounts', {}, '{"email":"late@example.com"}'), 503);
  await expectStatus(ask('POST trials'), 503);
  rmSync(outageFile);
  await expectStatus(compress(formWith(jpeg)), 200);
});

it('no Host header, a foreign one, headers that are too large, and bodies that never end', async () => {
  for (const operation of [...WITH_KEY, ...OPEN, ...IMAGES]) {
    const [method, path] = operation.split(' ');
    const line = `${method} ${path.startsWith('/') ? path : `/api/v1/${path}`} HTTP/1.1\r\n`;
    const [hostless, foreign, large] = [1, 2, 3].map(() => new RawClient(service.port));
    hostless.write(`${line}\r\n`);
    foreign.write(`${line}Host: a\r\n\r\n`);
    large.write(`${line}Host: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect([(await hostless.answer()).status, (await large.answer()).status]).toEqual([400, 431]);
    await expectStatus(foreign.answer(), path.startsWith('/health/') ? 200 : 403);
    for (const client of [hostless, foreign, large]) client.close();
  }
  const slow = [new RawClient(service.port), new RawClient(service.port)];
  const head = requestHead(key.apiKey, { 'Content-Length': 5000 });
  slow[0].write(head + partHead());
  slow[1].write(
    'POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  for (const client of slow) {
    await expectStatus(client.answer(), 408);
    client.close();
  }
});

it('limits, a full queue, a deadline, a stop', async () => {
  const large = await photoJpeg(3000, 2200);
  await expect(closed.signUp()).rejects.toThrow('signup_closed');
  await expectStatus(closed.api('trials', { method: 'POST' }), 403);

  expect(await statusOfGreedyFormat(jpeg)).toBe(422);
  const hasty = await startService({ WORKERS: '1', DEADLINE_MS: '150' });
  const hurried = (await hasty.signUp()).apiKey;
  // In its own format, the image would come back as it is.
  await expectStatus(hasty.compress(large, hurried, {}, '?format=webp'), 503);
  await hasty.stop();
  // The portable engine takes seconds for the large image, so that the rest happens meanwhile.
  const slow = { WORKERS: '1', QUEUE_LIMIT: '0', CODEC_ENGINE: 'squoosh' };
  const narrow = await startService({ ...slow, RATE_LIMIT_PER_MINUTE: '2', SIGNUP_LIMIT_PER_HOUR: '2' });
  const [first, second] = [await narrow.signUp(), await narrow.signUp()];
  await expect(narrow.signUp()).rejects.toThrow('rate_limited');
  await expectStatus(narrow.api('trials', { method: 'POST' }), 429);
  for (const status of [200, 200, 429]) {
    await expectStatus(narrow.compress(jpeg, first.apiKey), status);
  }
  const running = narrow.compress(large, second.apiKey);
  const ready = async () => (await fetch(`${narrow.url}/health/ready`)).text();
  const answered = new AbortController();
  void running.then(() => answered.abort());
  while (!answered.signal.aborted && !(await ready()).includes('"busy":1'));
  await expectStatus(narrow.compress(jpeg, second.apiKey), 503);
  const stopped = narrow.stop();
  while (!(await ready()).includes('"draining":true'));
  await narrow.compress(jpeg, second.apiKey);
  await running;
  expect(await stopped).toBe(0);
});

it('everything documented occurred in the tests above', async () => {
  const contract = await replayAgainstDocument(service.port);
  expect(missingAnswers(contract)).toEqual([]);
});
