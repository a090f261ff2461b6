/** CACHE_MB and CACHE_DIR, over HTTP: the same bytes under the same settings are compressed once. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';

const newFolder = () => join(mkdtempSync(join(tmpdir(), 'ics-cache-')), 'results');
const services: Service[] = [];
/** Starts a service with an account; `start` stops it after the test. */
async function open(env: Record<string, string>) {
  const service = await startService(env);
  const { apiKey } = await service.signUp();
  const send = async (image: Uint8Array) => {
    const response = await service.compress(image, apiKey);
    const bytes = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, bytes, headers, cache: response.headers.get('x-cache') };
  };
  const encodes = async () => (await service.metrics())['ics_encodes_count{format="jpeg"}'] ?? 0;
  return { service, send, encodes };
}
type Sender = Awaited<ReturnType<typeof open>>['send'];
async function start(env: Record<string, string> = {}) {
  const opened = await open(env);
  services.push(opened.service);
  return opened;
}
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')));
});

let photo: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(240, 180);
});

/** Headers about the image, without those that differ between responses. */
function imageHeaders(headers: Record<string, string>) {
  const names = /^(x-(?!cache|request-id|ratelimit).*|etag|content-(type|length))$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.test(name)));
}

it('results are not remembered by default', async () => {
  const { send, encodes } = await start();
  const answers = [await send(photo), await send(photo)];
  expect(answers.map(({ cache }) => cache)).toEqual([null, null]);
  expect(await encodes()).toBe(2);
});

it.each([
  ['in memory', undefined],
  ['in a folder', newFolder],
])('%s: the second response equals the first, has X-Cache, and counts against the limit', async (_, make) => {
  const folder = make?.();
  const cache = { CACHE_MB: '10', ...(folder ? { CACHE_DIR: folder } : {}) };
  const { service, send, encodes } = await start({ ...cache, RATE_LIMIT_PER_MINUTE: '3' });
  const first = await send(photo);
  if (folder) await until(() => resultsIn(folder)[0]);
  const second = await send(photo);
  expect([first.cache, second.cache]).toEqual([null, 'hit']);
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect(imageHeaders(second.headers)).toEqual(imageHeaders(first.headers));
  expect(first.headers['x-quality']).toBeDefined();
  expect(second.headers['server-timing']).toMatch(/^queue;dur=\d+\.\d, decode;dur=0\.0, /);
  expect(second.headers['x-ratelimit-remaining']).toBe('1');
  const skipped = await send(first.bytes);
  expect([skipped.cache, skipped.headers['x-skipped']]).toEqual([null, '1']);
  expect((await send(photo)).status).toBe(429);
  expect(await encodes()).toBe(2);
  const metrics = await service.metrics();
  expect(metrics['ics_remembered_images_total']).toBe(1);
  expect(metrics['ics_images_total{format="jpeg",outcome="compressed"}']).toBe(2);
  const lines = service.logs().filter(({ cache }) => cache === 'hit');
  expect(lines).toHaveLength(1);
});

describe('a service that remembers results in memory', () => {
  let send: Sender;
  let encodes: () => Promise<number>;
  let service: Service;
  beforeAll(async () => ({ service, send, encodes } = await open({ CACHE_MB: '10', WORKERS: '2' })));
  afterAll(() => service.stop('SIGKILL'));

  it('remembers that an image was skipped', async () => {
    const { bytes } = await send(photo);
    const answers = [await send(bytes), await send(bytes)];
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({ 'x-skipped': '1', 'x-skip-reason': 'already-optimised' });
      expect(answer.bytes.equals(bytes)).toBe(true);
    }
    expect(answers.map(({ cache }) => cache)).toEqual([null, 'hit']);
  });

  it('does not remember refusals', async () => {
    const statuses = [await send(photo.subarray(0, 5000)), await send(photo.subarray(0, 5000))];
    expect(statuses.map(({ status, cache }) => [status, cache])).toEqual([
      [422, null],
      [422, null],
    ]);
  });

  it('compresses simultaneous uploads of the same bytes once', async () => {
    const before = await encodes();
    const other = await photoJpeg(240, 176);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(other)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ cache }) => cache === null)).toHaveLength(1);
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
    expect((await encodes()) - before).toBe(1);
  });
});

/** Of the two tests below. */
const folderOfAll = newFolder();

it('is shared by replicas on one folder, survives them, and is made again if its file is damaged', async () => {
  const env = { CACHE_MB: '10', CACHE_DIR: folderOfAll };
  const [a, b] = await Promise.all([start(env), start(env)]);
  const first = await a.send(photo);
  await until(() => resultsIn(env.CACHE_DIR)[0]);
  const second = await b.send(photo);
  expect([first.cache, second.cache]).toEqual([null, 'hit']);
  expect(imageHeaders(second.headers)).toEqual(imageHeaders(first.headers));
  await Promise.all([a.service.stop('SIGKILL'), b.service.stop('SIGKILL')]);
  const c = await start(env);
  expect((await c.send(photo)).cache).toBe('hit');
  // A damaged result is compressed again.
  const [name] = resultsIn(env.CACHE_DIR);
  writeFileSync(join(env.CACHE_DIR, name), first.bytes.subarray(0, 1000));
  const again = await c.send(photo);
  expect([again.status, again.cache]).toEqual([200, null]);
  expect(again.bytes.equals(first.bytes)).toBe(true);
  expect(await until(async () => (await c.send(photo)).cache ?? undefined)).toBe('hit');
});

it('is not shared by replicas with other settings', async () => {
  const env = { CACHE_MB: '10', CACHE_DIR: folderOfAll };
  expect(resultsIn(env.CACHE_DIR)).toHaveLength(1);
  const services = await Promise.all([
    start({ ...env, QUALITY: 'low' }),
    start({ ...env, CODEC_ENGINE: 'squoosh' }),
  ]);
  for (const { send } of services) expect((await send(photo)).cache).toBeNull();
  await until(() => resultsIn(env.CACHE_DIR)[services.length]);
  for (const { send } of services) expect((await send(photo)).cache).toBe('hit');
});
/** Files of results, each written after the response has started. */
function resultsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((one) => one.endsWith('.result'));
}

/** Polls every 50 ms until there is a value. */
async function until<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('refuses to start with an unusable folder, and names the reason', async () => {
  await expect(start({ CACHE_DIR: newFolder() })).rejects.toThrow(': needs CACHE_MB');
  const file = join(mkdtempSync(join(tmpdir(), 'ics-cache-')), 'file');
  writeFileSync(file, '');
  await expect(start({ CACHE_MB: '1', CACHE_DIR: file })).rejects.toThrow(
    `CACHE_DIR=${file}: cannot be written to (EEXIST)`,
  );
});
