import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { temporaryFile } from '../support/folders';
import { runOnAccounts } from '../support/command-line';
import { onEachDatabase } from '../support/databases';
import { eventually } from '../support/eventually';
import { graphicPng } from '../support/images';
import { expectProblem } from '../support/problem';
import { startService, type Service } from '../support/service';

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
  const ics = (...args: string[]) => runOnAccounts(url(), args);
  const account = async (apiKey: string) => (await service.api('account', { apiKey })).json();

  it('are accounts with limits and usage of their own, also of a second replica', async () => {
    expect(await account(SITE)).toMatchObject({
      email: 'site@configured',
      usage: { images: 0 },
      trial: null,
    });
    for (let i = 0; i < 2; i++) expect((await service.compress(image, SITE)).status).toBe(200);
    await expectProblem(await service.compress(image, SITE), 429, 'rate_limited');
    expect((await service.compress(image, BATCH)).status).toBe(200);
    const basic = `Basic ${Buffer.from(`api:${BATCH}`).toString('base64')}`;
    const shrink = { method: 'POST', headers: { Authorization: basic }, body: image };
    expect((await fetch(`${service.url}/shrink`, shrink)).status).toBe(201);
    await expectProblem(await service.compress(image, `${SITE}2`), 401, 'invalid_api_key');

    const second = await startService(env());
    expect((await second.compress(image, SITE)).status).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(await account(SITE)).toMatchObject({ usage: { images: 3, bytesIn: 3 * image.length } });
    expect(await usageOf(service, { 'X-API-Key': SITE })).toMatchObject([{ images: 3 }]);
    expect(await account(BATCH)).toMatchObject({ usage: { images: 2 } });
    const listed = ics('account', 'usage', '--json').stdout.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line) as object)).toMatchObject([
      { email: 'batch@configured', images: 2 },
      { email: 'site@configured', images: 3 },
    ]);
  });

  it('are changed only in the file', async () => {
    const added = await service.api('account/keys', { method: 'POST', apiKey: SITE });
    await expectProblem(added, 403, 'signup_closed');
    const refused = ics('account', 'suspend', 'site@configured');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/change API_KEYS_FILE/)]);
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
    await expectProblem(await service.compress(image, SITE), 401, 'invalid_api_key');
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
  for (let i = 0; i < 2; i++) expect((await send('192.0.2.1')).status).toBe(200);
  await expectProblem(await send('192.0.2.1'), 429, 'rate_limited');
  expect((await send('2001:db8::1')).status).toBe(200);
  await expectProblem(await service.api('trials', { method: 'POST' }), 403, 'signup_closed');
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
