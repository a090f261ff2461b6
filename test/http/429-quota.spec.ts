/** The quota of an account and month: what it refuses, what it gives back, and when it renews. */
import { graphicPng } from '../support/images';
import { Clock } from '../support/clock';
import { CLI } from '../support/command-line';
import { onEachDatabase } from '../support/databases';
import { eventually } from '../support/eventually';
import { expectProblem } from '../support/problem';
import { formWith, RawClient, requestHead, startService, type Service } from '../support/service';
import { spawnSync } from 'node:child_process';

const image = graphicPng(16, 16);
const NO_IMAGE = Buffer.from('no image');
const MONTH_S = 30 * 86_400;

onEachDatabase((url) => {
  const clock = new Clock();
  let service: Service;
  beforeAll(async () => {
    clock.setTo('2026-11-20T00:00:00Z');
    service = await startService({
      ...clock.env,
      DATABASE_URL: url(),
      QUOTA_IMAGES_PER_MONTH: '3',
      RATE_LIMIT_PER_MINUTE: '100',
      ACCOUNT_REQUESTS_PER_MINUTE: '0',
    });
  });
  afterAll(() => service.stop());
  beforeEach(() => clock.setTo('2026-11-20T00:00:00Z'));

  const imagesOf = async (apiKey: string) => {
    const response = await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': apiKey } });
    return ((await response.json()) as { usage: { images: number } }).usage.images;
  };
  const remainingOf = ({ headers }: Response) =>
    Number(/"month";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

  it('is shown beside the rate limit, and refuses with the date of renewal', async () => {
    const { apiKey } = await service.signUp();
    for (const remaining of [2, 1, 0]) {
      const response = await service.compress(image, apiKey);
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit-policy')).toBe(`"default";q=100;w=60, "month";q=3;w=${MONTH_S}`);
      expect(response.headers.get('ratelimit')).toMatch(
        new RegExp(`^"default";r=\\d+;t=\\d+, "month";r=${remaining};t=\\d+$`),
      );
    }
    const refused = await service.compress(image, apiKey);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(10 * 86_400);
    expect(wait).toBeLessThanOrEqual(11 * 86_400);
    expect(refused.headers.get('ratelimit')).toContain(`"month";r=0;t=${wait}`);
    expect(await expectProblem(refused, 429, 'quota_exceeded')).toMatchObject({
      limit: 3,
      retry_after: wait,
      renews_at: '2026-12-01T00:00:00.000Z',
      detail: 'This account may compress 3 images a month; its quota renews on 2026-12-01 at 00:00 UTC.',
    });
    expect(await imagesOf(apiKey)).toBe(3);
  });

  it('refuses a set that may have more files than are left before its body, and counts those that it has', async () => {
    const { apiKey } = await service.signUp();
    const client = new RawClient(service.port);
    const head = requestHead(apiKey, { 'Content-Length': 1_000_000 });
    client.write(head.replace(/POST \S+/, 'POST /api/v1/sets?widths=16,20&format=webp,same'));
    const { status, body } = await client.answer();
    expect([status, JSON.parse(body)]).toEqual([429, expect.objectContaining({ code: 'quota_exceeded' })]);
    client.close();
    expect(await imagesOf(apiKey)).toBe(0);
    const ask = (query: string) =>
      fetch(`${service.url}/api/v1/sets?${query}`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey },
        body: formWith(image),
      });
    // 20 px is wider than the image.
    const made = await ask('widths=16,20');
    expect([made.status, remainingOf(made)]).toEqual([200, 1]);
    await made.arrayBuffer();
    await eventually(async () => expect(await imagesOf(apiKey)).toBe(1));
    await eventually(async () => expect(remainingOf(await service.compress(image, apiKey))).toBe(1));
  });

  it('accepts exactly its images of many concurrent requests', async () => {
    const { apiKey } = await service.signUp();
    const responses = await Promise.all(Array.from({ length: 12 }, () => service.compress(image, apiKey)));
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted.map(remainingOf).sort()).toEqual([0, 1, 2]);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(9);
    expect(await imagesOf(apiKey)).toBe(3);
  });

  it('gets back what was refused, could not be decoded or was never sent', async () => {
    const { apiKey } = await service.signUp();
    await expectProblem(await service.compress(NO_IMAGE, apiKey), 415, 'unsupported_media_type');
    const truncated = image.subarray(0, 60);
    await expectProblem(await service.compress(truncated, apiKey), 422, 'undecodable_image');
    const leaving = new RawClient(service.port);
    leaving.write(requestHead(apiKey, { 'Content-Length': 5000 }));
    const inFlight = async () => (await service.metrics())['ics_requests_in_flight'];
    await eventually(async () => expect(await inFlight()).toBe(1));
    leaving.close();
    await eventually(async () => expect(await inFlight()).toBe(0));
    // What is given back is written after the response. A request that comes too early is refused, and takes nothing.
    for (let images = 0; images < 3; images++)
      await eventually(async () => expect((await service.compress(image, apiKey)).status).toBe(200));
    await expectProblem(await service.compress(image, apiKey), 429, 'quota_exceeded');
  });

  it('is checked before the body is read', async () => {
    const { apiKey } = await service.signUp();
    for (let i = 0; i < 3; i++) await service.compress(image, apiKey);
    const client = new RawClient(service.port);
    client.write(requestHead(apiKey, { 'Content-Length': 5_000_000 }));
    expect((await client.answer()).status).toBe(429);
    client.close();
  });

  it('renews with the month in UTC', async () => {
    const { apiKey } = await service.signUp();
    clock.setTo('2026-11-30T23:00:00Z');
    for (let i = 0; i < 3; i++) expect((await service.compress(image, apiKey)).status).toBe(200);
    expect((await service.compress(image, apiKey)).status).toBe(429);
    clock.setTo('2026-12-01T00:00:00Z');
    const response = await service.compress(image, apiKey);
    expect(response.status).toBe(200);
    expect(remainingOf(response)).toBe(2);
    expect(response.headers.get('ratelimit-policy')).toContain(`"month";q=3;w=${31 * 86_400}`);
    const usage = await fetch(`${service.url}/api/v1/account/usage?from=2026-11`, {
      headers: { 'X-API-Key': apiKey },
    });
    expect(await usage.json()).toMatchObject({
      from: '2026-11',
      to: '2026-12',
      usage: [
        { month: '2026-11', images: 3 },
        { month: '2026-12', images: 1 },
      ],
    });
  });

  it('can be set for one account, and does not limit trials', async () => {
    const { apiKey, accountId } = await service.signUp();
    const setQuota = (images: string) => {
      const env = { ...clock.env, PATH: process.env['PATH'], DATABASE_URL: url() };
      const args = [CLI, 'account', 'quota', accountId, images];
      return spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    };
    await service.compress(image, apiKey);
    await imagesOf(apiKey);
    expect(setQuota('1').stdout).toBe(`The quota of ${accountId} is 1 image a month.\n`);
    expect((await service.compress(image, apiKey)).status).toBe(429);
    expect(setQuota('off').status).toBe(0);
    for (let i = 0; i < 4; i++) {
      const response = await service.compress(image, apiKey);
      expect([response.status, remainingOf(response)]).toEqual([200, Number.NaN]);
    }
    await imagesOf(apiKey);
    // The images without a quota count too.
    expect(setQuota('6').status).toBe(0);
    expect(
      [await service.compress(image, apiKey), await service.compress(image, apiKey)].map(remainingOf),
    ).toEqual([0, 0]);
    expect(setQuota('default').status).toBe(0);
    expect((await service.compress(image, apiKey)).status).toBe(429);
    for (const wrong of ['0', '-1', 'many', '1000000001']) expect(setQuota(wrong).status).not.toBe(0);

    const trial = await fetch(`${service.url}/api/v1/trials`, { method: 'POST' });
    const { apiKey: trialKey } = (await trial.json()) as { apiKey: string };
    for (let i = 0; i < 4; i++) expect((await service.compress(image, trialKey)).status).toBe(200);
  });
});
