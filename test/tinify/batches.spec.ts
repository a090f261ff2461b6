/** The images of a batch arrive all at once, and their clients do not try again. */
import { graphicPng, photoJpeg } from '../support/images';
import { eventually } from '../support/eventually';
import { startService, type Service } from '../support/service';
import { locationOf, TinifyCaller } from '../support/tinify';

const start = async (env: Record<string, string>): Promise<[Service, TinifyCaller]> => {
  const service = await startService({ TINIFY_API: 'on', WORKERS: '1', ...env });
  return [service, new TinifyCaller(service, (await service.signUp()).apiKey)];
};

it('compresses 40 concurrent photos through a queue of four without losing a result', async () => {
  const [service, caller] = await start({ QUEUE_LIMIT: '4' });
  const photo = await photoJpeg(400, 300);
  const uploads = await Promise.all(Array.from({ length: 40 }, () => caller.shrink(photo)));
  expect(uploads.map(({ status }) => status)).toEqual(Array<number>(40).fill(201));
  const results = await Promise.all(uploads.map((upload) => caller.send('GET', locationOf(upload))));
  expect(results.map(({ status }) => status)).toEqual(Array<number>(40).fill(200));
  const check = await caller.send('POST', '/shrink');
  expect(check.headers.get('compression-count')).toBe('40');
  await service.stop();
});

it('requests above the limit of the account wait, and leave the line when their clients leave', async () => {
  const [service, caller] = await start({ RATE_LIMIT_PER_MINUTE: '3' });
  const png = graphicPng(16, 16);
  for (let i = 0; i < 3; i++) expect((await caller.shrink(png)).status).toBe(201);
  const gone = new AbortController();
  const waiting = fetch(`${service.url}/shrink`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`api:${caller.key}`).toString('base64')}` },
    body: png,
    signal: gone.signal,
  });
  await eventually(async () => expect((await service.metrics())['ics_requests_in_flight']).toBe(1));
  gone.abort();
  await expect(waiting).rejects.toThrow(/abort/);
  await eventually(async () => expect((await service.metrics())['ics_requests_in_flight']).toBe(0));
  const check = await caller.send('POST', '/shrink');
  expect(check.headers.get('compression-count')).toBe('3');
  await service.stop();
});

it('counts what it admits for the limit, and only finished images as compressions', async () => {
  const [service, caller] = await start({ RATE_LIMIT_PER_MINUTE: '9' });
  const notAnImage = await caller.shrink('text');
  expect([notAnImage.status, notAnImage.headers.get('x-ratelimit-remaining')]).toEqual([415, '8']);
  const uploaded = await caller.shrink(graphicPng(16, 16));
  expect([uploaded.status, uploaded.headers.get('x-ratelimit-remaining')]).toEqual([201, '7']);
  expect(uploaded.headers.get('compression-count')).toBe('1');
  await service.stop();
});
