import { until } from '../support/eventually';
import { graphicPng } from '../support/images';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { formWith, ownService, startService } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { changeAccount } from '../support/sqlite-file';

const image = graphicPng(16, 16);

describe('a trial', () => {
  const service = sharedClient('tight');

  const accountOf = async (apiKey: string) =>
    (await (await service.api('account', { apiKey })).json()) as object;

  it('is valid for a day and some images, with the same headers as an account', async () => {
    const { apiKey, accountId, images, expiresAt, send } = await service.openTrial();
    expect(images).toBe(3);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    const response = await send(image);
    expectHead(response, { status: 200, 'x-ratelimit-remaining': '9' });
    expect(await accountOf(apiKey)).toMatchObject({
      accountId,
      email: null,
      usage: { images: 1 },
      trial: { imagesLeft: 2, expiresAt },
    });
  });

  it('counts returned images, also of concurrent requests', async () => {
    const { apiKey, send } = await service.openTrial();
    // An image that no worker has taken is given back.
    const other = await send(Buffer.from('no image'));
    await expectProblem(other, 415, 'unsupported_media_type');
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(image)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const body = await expectProblem(send(image), 403, 'trial_used_up');
    expect(body).toMatchObject({ detail: 'All images of this trial are used; sign up for an account.' });
    expect(await accountOf(apiKey)).toMatchObject({ usage: { images: 3 }, trial: { imagesLeft: 0 } });
  });

  it('pays for a refused image that a worker has taken', async () => {
    const { apiKey, send } = await service.openTrial();
    await expectProblem(send(image.subarray(0, 60)), 422, 'undecodable_image');
    expect(await accountOf(apiKey)).toMatchObject({ trial: { imagesLeft: 2 } });
  });

  it('is refused with its own code once it has expired, and deleted a day later', async () => {
    const [expired, old] = [await service.openTrial(), await service.openTrial()];
    for (const [trial, ago] of [
      [expired, '-1 minute'],
      [old, '-25 hours'],
    ] as const)
      changeAccount(service.databaseUrl, trial, `trial_expires_at = datetime('now', '${ago}')`);
    const refused = await expired.send(image);
    expectHead(refused, { 'www-authenticate': 'Bearer' });
    await expectProblem(refused, 401, 'trial_expired');
    await expectProblem(old.send(image), 401, 'trial_expired');
    await service.openTrial();
    await expectProblem(expired.send(image), 401, 'trial_expired');
    await expectProblem(old.send(image), 401, 'invalid_api_key');
  });

  it('does not limit accounts', async () => {
    const { apiKey, send } = await service.signUp();
    for (let i = 0; i < 5; i++) await expectStatus(send(image), 200);
    expect(await accountOf(apiKey)).toMatchObject({ trial: null });
  });
});

it('there are no trials with TRIAL_IMAGES=0', async () => {
  const service = await startService({ TRIAL_IMAGES: '0' });
  await expectProblem(service.api('trials', { method: 'POST' }), 403, 'signup_closed');
  await service.stop();
});

describe('with one worker, trials', () => {
  const service = ownService({ WORKERS: '1', QUEUE_LIMIT: '4' });

  const slow = graphicPng(3840, 3800);
  const openTrial = async () => (await service.openTrial()).apiKey;
  const imagesLeft = async (apiKey: string) => {
    const response = await service.api('account', { apiKey });
    return ((await response.json()) as { trial: { imagesLeft: number } }).trial.imagesLeft;
  };
  const send = (bytes: Uint8Array, apiKey: string) => {
    const client = new AbortController();
    const status = service.api('compress', { apiKey, body: formWith(bytes), signal: client.signal }).then(
      (response) => response.status,
      () => 'disconnected',
    );
    return { status, leave: () => client.abort() };
  };

  it('get an image back if the client leaves the queue, but not if it leaves a worker', async () => {
    const key = await openTrial();
    const images = await imagesLeft(key);
    const working = send(slow, key);
    await service.untilMetric('workers_busy', 1);
    const waiting = send(image, key);
    await service.untilMetric('queue_depth', 1);
    waiting.leave();
    await until(async () => (await imagesLeft(key)) === images - 1);
    working.leave();
    await service.untilMetric('workers_busy', 0);
    expect(await send(image, key).status).toBe(200);
    expect(await imagesLeft(key)).toBe(images - 2);
  });

  it('of one address share the places that one account has in a full queue', async () => {
    const accounts = [await service.signUp(), await service.signUp()];
    const working = send(slow, accounts[0].apiKey);
    await service.untilMetric('workers_busy', 1);
    const waiting: ReturnType<typeof send>[] = [];
    for (let places = 1; places <= 4; places++) {
      waiting.push(send(image, await openTrial()));
      await service.untilMetric('queue_depth', places);
    }
    expect(await send(image, await openTrial()).status).toBe(503);
    waiting.push(send(image, accounts[1].apiKey));
    // The account takes the place of the newest trial.
    expect(await waiting[3].status).toBe(503);
    working.leave();
    expect(await Promise.all(waiting.map(({ status }) => status))).toEqual([200, 200, 200, 503, 200]);
  });
});
