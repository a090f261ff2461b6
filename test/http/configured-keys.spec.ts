import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMountedSecret } from '../../src/accounts/application/configured-accounts';
import { expectEnd } from '../support/ended';
import { temporaryFile, temporaryFolder } from '../support/folders';
import { runOnAccounts } from '../support/command-line';
import { onEachDatabase } from '../support/databases';
import { eventually } from '../support/eventually';
import { graphicPng } from '../support/images';
import { expectProblem, expectStatus } from '../support/responses';
import { ownService, startService, type Service } from '../support/service';
import { TinifyCaller } from '../support/tinify';

const image = graphicPng(16, 16);
const SITE = 'a-key-for-the-site-of-32-or-more-characters#1';
const BATCH = 'x'.repeat(256);
const DIGEST = createHash('sha256').update(BATCH).digest('hex');
const file = temporaryFile('keys');
const usageOf = async (service: Service, headers = {}) =>
  ((await (await service.api('account/usage', { headers })).json()) as { usage: object[] }).usage;

onEachDatabase((url) => {
  let service: Service;
  const env = () => ({ DATABASE_URL: url(), API_KEYS_FILE: file, SIGNUP: 'closed', TINIFY_API: 'on' });
  beforeAll(async () => {
    writeFileSync(
      file,
      `# two accounts\r\nsite\t${SITE} # of the web team\n\nbatch sha256:${DIGEST.toUpperCase()}\n`,
    );
    service = await startService({ ...env(), RATE_LIMIT_PER_MINUTE: '2' });
  });
  afterAll(() => service.stop());
  const ics = (command: string) => runOnAccounts(url(), command);
  const account = async (apiKey: string) => (await service.api('account', { apiKey })).json();

  it('are accounts with limits and usage of their own, also of a second replica', async () => {
    expect(await account(SITE)).toMatchObject({
      email: 'site@configured',
      usage: { images: 0 },
      trial: null,
    });
    for (let i = 0; i < 2; i++) await expectStatus(service.compress(image, SITE), 200);
    await expectProblem(service.compress(image, SITE), 429, 'rate_limited');
    await expectStatus(service.compress(image, BATCH), 200);
    await expectStatus(new TinifyCaller(service, BATCH).shrink(image), 201);
    await expectProblem(service.compress(image, `${SITE}2`), 401, 'invalid_api_key');

    const second = await startService(env());
    await expectStatus(second.compress(image, SITE), 200);
    expect(await second.stop()).toBe(0);
    expect(await account(SITE)).toMatchObject({ usage: { images: 3, bytesIn: 3 * image.length } });
    expect(await usageOf(service, { 'X-API-Key': SITE })).toMatchObject([{ images: 3 }]);
    expect(await account(BATCH)).toMatchObject({ usage: { images: 2 } });
    const listed = ics('account usage --json').stdout.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line) as object)).toMatchObject([
      { email: 'batch@configured', images: 2 },
      { email: 'site@configured', images: 3 },
    ]);
  });

  it('are changed only in the file', async () => {
    const added = await service.api('account/keys', { method: 'POST', apiKey: SITE });
    await expectProblem(added, 403, 'signup_closed');
    expectEnd(ics('account suspend site@configured'), 1, /change API_KEYS_FILE/);
  });

  it('are read again on SIGHUP, unless a line is faulty', async () => {
    const said = (pattern: RegExp) =>
      eventually(() =>
        expect(service.logs().some(({ message }) => pattern.test(String(message)))).toBe(true),
      );
    writeFileSync(file, `batch sha256:${DIGEST}\nsite short\n`);
    service.process.kill('SIGHUP');
    await said(/was not read again.*line 2 must be a name/s);
    expect(await usageOf(service, { 'X-API-Key': SITE })).toHaveLength(1);
    writeFileSync(file, `batch sha256:${DIGEST}\n`);
    service.process.kill('SIGHUP');
    await said(/was read again/);
    const refused = service.compress(image, SITE);
    await expectProblem(refused, 401, 'invalid_api_key', /unknown or has been revoked/);
    expect(await account(BATCH)).toMatchObject({ email: 'batch@configured' });
    expect(JSON.stringify(service.logs())).not.toContain(SITE);
  });
});

it('a file with faults is refused at the start, with every faulty line and without a key', async () => {
  const lines = [
    `one ${SITE}`,
    `two ${SITE}`,
    'three short',
    `sha256:${DIGEST}`,
    `four sha256:${'a'.repeat(63)}`,
  ];
  writeFileSync(file, lines.join('\n'));
  const start = startService({ API_KEYS_FILE: file });
  await expect(start).rejects.toThrow(
    /^Exit 2:(?=.*line 2 has the key of an earlier)(?=.*line 3)(?=.*line 4).*line 5/s,
  );
  await expect(start).rejects.not.toThrow(/line 1|a-key-for-the-site|\.js:\d/);
  await expect(startService({ API_KEYS_FILE: '/no/such/file' })).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

it('AUTH=off asks for no key, and gives each client address an account', async () => {
  const service = await startService({ AUTH: 'off', TRUST_PROXY: 'loopback', RATE_LIMIT_PER_MINUTE: '2' });
  const send = (address: string) => service.compress(image, 'whatever', { 'X-Forwarded-For': address });
  for (let i = 0; i < 2; i++) await expectStatus(send('192.0.2.1'), 200);
  await expectProblem(send('192.0.2.1'), 429, 'rate_limited');
  await expectStatus(send('2001:db8::1'), 200);
  await expectProblem(service.api('trials', { method: 'POST' }), 403, 'signup_closed');
  const from = { 'X-Forwarded-For': '192.0.2.1' };
  expect(await usageOf(service, from)).toMatchObject([{ images: 2 }]);
  const account = await service.api('account', { headers: { 'X-Forwarded-For': '2001:db8::2' } });
  expect(await account.json()).toMatchObject({
    email: 'anonymous-2001-db8-64@configured',
    usage: { images: 1 },
  });
  expect(service.logs().filter(({ message }) => /^AUTH=off/.test(String(message)))).toHaveLength(1);
  expect(await service.stop()).toBe(0);
});

it('knows the mounted secrets of Docker, Podman and Kubernetes', () => {
  const mount = (path: string, mode: string) =>
    `612 598 0:24 /keys ${path} ${mode},relatime - tmpfs tmpfs rw\n`;
  const mounts = mount('/', 'rw') + mount('/keys', 'ro') + mount('/etc/keys', 'ro') + mount('/data', 'rw');
  const areMounted = (...paths: string[]) => paths.map((path) => isMountedSecret(path, mounts));
  expect(areMounted('/run/secrets/k', '/keys/k', '/etc/keys', '/v/..2026/k')).toEqual(Array(4).fill(true));
  expect(areMounted('/data/k', '/etc/k', '/keys/a/k', '/home/run/secrets/k')).toEqual(Array(4).fill(false));
});

describe('the file', () => {
  const UUID = '3c2f6f0e-8a55-4f0b-9d0e-1f6b7a9c2d10';
  const BASE64 = 'mZ3/9sQ+bV1/aG7-x5kT.0pLw/eR2yU8iO+dF4hJ6nM=';
  const KEYS = `uuid ${UUID}\nbase64 ${BASE64}\nbatch sha256:${DIGEST}\n`;
  const folder = temporaryFolder();
  const [path, link, pipe] = ['keys', 'link', 'pipe'].map((name) => join(folder, name));
  const linkTo = (target: string) => {
    rmSync(link, { force: true });
    symlinkSync(target, link);
  };
  writeFileSync(path, KEYS, { mode: 0o640 });
  linkTo(path);
  const service = ownService({ API_KEYS_FILE: link });
  const said = (pattern: RegExp) =>
    service.logs().flatMap(({ message }) => (pattern.test(String(message)) ? [String(message)] : []));
  const warnings = () => said(/every user of this machine can read the keys; run chmod o-r/);
  /** Returns what the service says when it has read the file again. */
  const readAgain = async () => {
    const reads = () => said(/^API_KEYS_FILE was/);
    const count = reads().length;
    service.process.kill('SIGHUP');
    await eventually(() => expect(reads()).toHaveLength(count + 1));
    return reads()[count];
  };
  const status = async () => (await service.api('account', { apiKey: UUID })).status;

  it('has no key that a log or a response repeats, even if it looks like an id', async () => {
    const paths = [
      ...[UUID, BASE64, BATCH].flatMap((key) => [key, `a/${key}/b`, `x=${key}`, encodeURIComponent(key)]),
      ...[encodeURIComponent(encodeURIComponent(BASE64)), `${UUID}/${UUID}`, `${'a/'.repeat(40)}${UUID}`],
    ];
    for (const one of paths) await fetch(`${service.url}/in/${one}`);
    const send = async (id: string, to = 'in/id') => {
      const response = await fetch(`${service.url}/${to}`, { headers: { 'X-Request-Id': id } });
      expect(await response.text()).not.toContain(UUID);
      return response.headers.get('x-request-id');
    };
    for (const id of [UUID, `a.${UUID}`, `job-${UUID}:1`, Buffer.from(`api:${UUID}`).toString('base64url')]) {
      const sent = await send(id);
      expect(sent).toMatch(/^[\w-]{36}$/);
      expect(sent).not.toBe(UUID);
    }
    const others = ['trace-42.'.padEnd(128, 'a'), 'f6a1d1f2-0b7e-4d56-8b8c-9a1c5d1e2f30'];
    for (const id of others) expect(await send(id, `in/${others[1]}/b`)).toBe(id);
    const last = expect.objectContaining({ requestId: others[1], path: `/in/${others[1]}/b` }) as object;
    await eventually(() => expect(service.logs()).toContainEqual(last));
    const log = decodeURIComponent(decodeURIComponent(JSON.stringify(service.logs())));
    for (const key of [UUID, BASE64, BATCH]) expect(log).not.toContain(key);
  });

  it('is reported if every user can read it, unless it is a mounted secret', async () => {
    expect(warnings()).toEqual([]);
    const hidden = join(folder, '..2026_11_27');
    mkdirSync(hidden);
    const secret = join(hidden, 'keys');
    for (const one of [path, secret]) {
      writeFileSync(one, KEYS);
      chmodSync(one, 0o644);
      linkTo(one);
      expect(await readAgain()).toMatch(/was read again/);
    }
    expect(warnings()).toHaveLength(1);
  });

  it('revokes all keys with only comments, and none if it is empty', async () => {
    linkTo(path);
    writeFileSync(path, '');
    expect(await readAgain()).toMatch(/was not read again.*is empty; to revoke all keys, leave a comment/s);
    expect(await status()).toBe(200);
    writeFileSync(path, '# none\n');
    expect(await readAgain()).toMatch(/was read again/);
    expect(await status()).toBe(401);
  });

  it('may be no pipe, and nothing waits for one', async () => {
    execFileSync('mkfifo', [pipe]);
    linkTo(pipe);
    expect(await readAgain()).toMatch(/was not read again.*must be a regular file/s);
    expect(await status()).toBe(401);
    await expect(startService({ API_KEYS_FILE: pipe })).rejects.toThrow(/^Exit 2: .*must be a regular file/s);
  });
});
