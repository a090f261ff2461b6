import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { httpRequest } from '../support/http-request';
import { decodeIndependently } from '../support/images';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { bytesOf } from '../support/service';
import { sharedClient } from '../support/shared-service';

const service = sharedClient('closed');
const off = sharedClient('tight');

const get = (path: string, init: RequestInit = {}) => fetch(`${service.url}${path}`, init);

// A browser's request; fetch itself would forbid cached responses.
const conditional = (etag: string) => ({ headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } });

async function assetPaths() {
  const html = await (await get('/')).text();
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
}

it('serves a page without inline scripts and without scripts of other hosts', async () => {
  const response = await get('/');
  expectHead(response, { status: 200, 'content-type': 'text/html; charset=utf-8' });
  const policy = response.headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "worker-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  expectHead(response, { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  const html = await response.text();
  const elsewhere = html.replaceAll(service.url, '');
  expect(elsewhere).not.toMatch(/<script>|<style| style=| on\w+=|https?:\/\//);
  for (const path of await assetPaths()) expect(path).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
});

it('names a picture for shared links by its full address, also behind another name', async () => {
  const pictureFor = async (headers: Record<string, string>) => {
    const { body } = await raw('/', headers);
    return /property="og:image" content="([^"]*)"/.exec(body.toString())?.[1] ?? '';
  };
  const url = await pictureFor({});
  expect(url.startsWith(`${service.url}/assets/preview-`)).toBe(true);
  const picture = await fetch(url);
  expectHead(picture, { 'content-type': 'image/jpeg' });
  const { width, height } = decodeIndependently(await bytesOf(picture));
  expect([width, height]).toEqual([1200, 630]);
  expect(await pictureFor({ Host: 'images.example.com' })).toBe(
    url.replace(service.url, 'http://images.example.com'),
  );
  expect(await pictureFor({ Host: 'x"><script>' })).not.toContain('<script>');
  for (let i = 0; i < 20; i++) {
    const host = `${i}.example.com`;
    expect(await pictureFor({ Host: host })).toContain(`http://${host}/assets/`);
  }
});

it('has an icon for clients that ask for /favicon.ico', async () => {
  const response = await get('/favicon.ico');
  expectHead(response, { status: 200, 'content-type': 'image/x-icon' });
  const bytes = await bytesOf(response);
  expect([...bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0]);
  for (const [i, size] of [16, 32, 48].entries()) {
    const at = bytes.readUInt32LE(6 + 16 * i + 12);
    expect(decodeIndependently(bytes.subarray(at, at + bytes.readUInt32LE(6 + 16 * i + 8))).width).toBe(size);
  }
});

it('gives the page the settings that it needs, and no secrets', async () => {
  const [, content = ''] = /name="service-facts" content="([^"]*)"/.exec(await (await get('/')).text()) ?? [];
  expect(JSON.parse(content.replaceAll('&quot;', '"'))).toEqual({
    signup: 'closed',
    maxUploadBytes: 7 * 1024 * 1024,
    maxDimensionPx: 3840,
    imagesPerMinute: 100_000,
    trialImages: 0,
    // JPEG XL is of a package: the page saves and names it by this row.
    formats: expect.objectContaining({
      jpeg: {
        label: 'JPG',
        mediaType: 'image/jpeg',
        extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
        signatures: [{ offset: 0, hex: 'ffd8ff' }],
        isUpload: true,
      },
      jxl: expect.objectContaining({ label: 'JPEG XL', isUpload: false }) as object,
    }) as object,
    targetScore: 0.9914,
    minDimensionPx: 16,
    needsKey: true,
    qualities: { low: 0.983, medium: 0.9874, high: 0.9914, 'very-high': 0.9953, lossless: 1 },
    keptMetadata: 'none',
    format: 'same',
  });
});

const raw = (path: string, headers: Record<string, string> = {}) =>
  httpRequest(service.url + path, { headers });
const accepting = (path: string, encoding: string) => raw(path, { 'Accept-Encoding': encoding });

it('sends its files compressed to clients that accept it, each form with its own ETag', async () => {
  for (const path of ['/', ...(await assetPaths())]) {
    const plain = await raw(path);
    const brotli = await accepting(path, 'gzip, deflate, br, zstd');
    const gzip = await accepting(path, 'gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    for (const { headers, body } of [plain, brotli, gzip]) {
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/);
      expect(headers['content-length']).toBe(String(body.length));
      expect(headers['content-type']).toBe(plain.headers['content-type']);
    }
    expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    expect((await accepting(path, 'br;q=0, gzip;q=0')).body).toEqual(plain.body);
    expect((await accepting(path, 'br;q=0, gzip')).headers['content-encoding']).toBe('gzip');
  }
});

it('compresses a sample once, and sends it to nobody who has it', async () => {
  const script = (await Promise.all((await assetPaths()).map((path) => raw(path)))).map(({ body }) => body);
  const [name] = /assets\/screenshot-[\w-]+\.png/.exec(Buffer.concat(script).toString()) ?? [];
  const { status, headers } = await get(`/${name}/compressed`);
  expect(status).toBe(200);
  const again = await get(`/${name}/compressed`, conditional(headers.get('etag') ?? ''));
  expect([again.status, await again.text()]).toEqual([304, '']);
  await expectStatus(get(`/${name}/compressed`, conditional('"other"')), 200);
});

/** What a browser has to load before it can show the page. */
const MAX_BYTES = 80_000;

it(`is ${MAX_BYTES / 1000} kB at most on the wire, before the sample that it shows`, async () => {
  const paths = ['/', ...(await assetPaths())];
  const bodies = await Promise.all(paths.map(async (path) => (await raw(path)).body));
  const assets = bodies.slice(1);
  // The script names what it loads by itself: the thumbnails, and the still life once the page is shown.
  const script = Buffer.concat(assets).toString();
  const images = await Promise.all(
    ['still-life', 'screenshot'].map(async (name) => {
      const found = script.matchAll(new RegExp(`/assets/${name}-[\\w-]+\\.(jpg|png)`, 'g'));
      const files = await Promise.all([...found].map(([path]) => accepting(path, 'br')));
      expect(files.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined]);
      return files.map(({ body }) => body).sort((a, b) => a.length - b.length)[0] ?? Buffer.alloc(0);
    }),
  );
  const sent = await Promise.all(paths.map(async (path) => (await accepting(path, 'gzip')).body));
  const bytes = [...sent, ...images].map(({ length }) => length);
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(MAX_BYTES);
  expect(bytes.every((each) => each > 100)).toBe(true);
});

it('lets browsers cache hashed files, and revalidate the page', async () => {
  const page = await get('/');
  expectHead(page, { 'cache-control': 'no-cache' });
  const paths = await assetPaths();
  expect(paths).toHaveLength(3);
  for (const path of ['/', ...paths]) {
    const response = await get(path);
    expect(response.status).toBe(200);
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    if (path !== '/') {
      expectHead(response, {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringMatching(
          /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
        ) as string,
      });
    }
    const again = await get(path, conditional(etag));
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    await expectStatus(get(path, conditional('"other"')), 200);
  }
});

it('responds to HEAD like GET without the body, and refuses other methods', async () => {
  const [head, full] = [await get('/', { method: 'HEAD' }), await get('/')];
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  expectHead(head, { 'content-length': full.headers.get('content-length') });
  const refused = await get('/', { method: 'POST' });
  expectHead(refused, { allow: 'GET, HEAD' });
  await expectProblem(refused, 405, 'method_not_allowed');
});

it.each([
  '/assets/',
  '/assets/nope.js',
  '/assets/..%2findex.html',
  '/assets/%2e%2e/index.html',
  '/index.html',
])('responds to %s with an error that is not cached', async (path) => {
  const response = await get(path);
  expectHead(response, { 'cache-control': 'no-store' });
  await expectProblem(response, 404, 'not_found');
});

it('the page is not served with WEB=off', async () => {
  for (const path of ['/', ...(await assetPaths())]) {
    await expectProblem(fetch(`${off.url}${path}`), 404, 'not_found');
  }
  await expectStatus(fetch(`${off.url}/health/live`), 200);
});
