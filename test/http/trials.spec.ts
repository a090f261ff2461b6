import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSqliteDriver } from '../../src/accounts/infrastructure/persistence/sqlite-driver';
import { graphicPng } from '../support/images';
import { expectProblem } from '../support/problem';
import { startService, type Service } from '../support/service';

interface IssuedTrial {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly images: number;
  readonly expiresAt: string;
}

const image = graphicPng(16, 16);

describe('a trial', () => {
  let service: Service;
  let databaseFile: string;
  beforeAll(async () => {
    databaseFile = join(mkdtempSync(join(tmpdir(), 'ics-trials-')), 'service.db');
    service = await startService({ DATABASE_URL: `sqlite:${databaseFile}`, TRIAL_IMAGES: '3' });
  });
  afterAll(() => service.stop());

  const open = async () => {
    const response = await fetch(`${service.url}/api/v1/trials`, { method: 'POST' });
    expect(response.status).toBe(201);
    return (await response.json()) as IssuedTrial;
  };
  const accountOf = async (apiKey: string) =>
    (await (
      await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': apiKey } })
    ).json()) as object;
  const execute = (statement: string, ...values: unknown[]) => {
    const database = new (loadSqliteDriver())(databaseFile);
    try {
      return database.prepare(statement).run(...values);
    } finally {
      database.close();
    }
  };

  it('is valid for a day and some images, with the same headers as an account', async () => {
    const { apiKey, accountId, images, expiresAt } = await open();
    expect(images).toBe(3);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    const response = await service.compress(image, apiKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('99999');
    expect(await accountOf(apiKey)).toMatchObject({
      accountId,
      email: null,
      usage: { images: 1 },
      trial: { imagesLeft: 2, expiresAt },
    });
  });

  it('counts returned images, also of concurrent requests', async () => {
    const { apiKey } = await open();
    // Refused images are given back.
    await expectProblem(
      await service.compress(Buffer.from('no image'), apiKey),
      415,
      'unsupported_media_type',
    );
    await expectProblem(await service.compress(image.subarray(0, 60), apiKey), 422, 'undecodable_image');
    const responses = await Promise.all(Array.from({ length: 8 }, () => service.compress(image, apiKey)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const body = await expectProblem(await service.compress(image, apiKey), 403, 'trial_used_up');
    expect(body).toMatchObject({ detail: 'All images of this trial are used; sign up for an account.' });
    expect(await accountOf(apiKey)).toMatchObject({ usage: { images: 3 }, trial: { imagesLeft: 0 } });
  });

  it('gives an image back if the client disconnects before the result', async () => {
    const { apiKey } = await open();
    const form = new FormData();
    form.append('image', new Blob([graphicPng(3000, 2000)]), 'large.png');
    const gone = new AbortController();
    const request = fetch(`${service.url}/api/v1/compress`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey },
      body: form,
      signal: gone.signal,
    });
    while (!JSON.stringify(await accountOf(apiKey)).includes('"imagesLeft":2'));
    gone.abort();
    await expect(request).rejects.toThrow(/abort/);
    while (!JSON.stringify(await accountOf(apiKey)).includes('"imagesLeft":3'));
  });

  it('is refused with its own code once it has expired, and deleted a day later', async () => {
    const [expired, old] = [await open(), await open()];
    const expire = (accountId: string, ago: string) =>
      execute(`UPDATE accounts SET trial_expires_at = datetime('now', ?) WHERE id = ?`, ago, accountId);
    expire(expired.accountId, '-1 minute');
    expire(old.accountId, '-25 hours');
    const refused = await service.compress(image, expired.apiKey);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    await expectProblem(refused, 401, 'trial_expired');
    await expectProblem(await service.compress(image, old.apiKey), 401, 'trial_expired');
    await open();
    await expectProblem(await service.compress(image, expired.apiKey), 401, 'trial_expired');
    await expectProblem(await service.compress(image, old.apiKey), 401, 'invalid_api_key');
  });

  it('does not limit accounts', async () => {
    const { apiKey } = await service.signUp();
    for (let i = 0; i < 5; i++) expect((await service.compress(image, apiKey)).status).toBe(200);
    expect(await accountOf(apiKey)).toMatchObject({ trial: null });
  });
});

it.each([{ SIGNUP: 'closed' }, { SIGNUP: 'invite', SIGNUP_CODE: 'open sesame' }, { TRIAL_IMAGES: '0' }])(
  'there are no trials with %j',
  async (env) => {
    const service = await startService(env);
    const response = await fetch(`${service.url}/api/v1/trials`, { method: 'POST' });
    await expectProblem(response, 403, 'signup_closed');
    await service.stop();
  },
);

it('trials and sign-ups from one address are counted together', async () => {
  const service = await startService({ SIGNUP_LIMIT_PER_HOUR: '2' });
  await service.signUp();
  const open = () => fetch(`${service.url}/api/v1/trials`, { method: 'POST' });
  expect((await open()).status).toBe(201);
  const refused = await open();
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await expectProblem(refused, 429, 'rate_limited');
  await service.stop();
});
