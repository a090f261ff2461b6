/** Commands to `/output/ID`: other results of the same upload. */
import { request } from 'node:http';
import type { Orientation } from '../../src/compression/domain/dimensions';
import { colourAt, decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';
import { basic, expectError, locationOf, TinifyCaller } from '../support/tinify';

let service: Service;
let caller: TinifyCaller;
let photo: Buffer;

beforeAll(async () => {
  service = await startService({
    TINIFY_API: 'on',
  });
  photo = await photoJpeg(320, 240);
});
afterAll(() => service.stop());
beforeEach(async () => (caller = new TinifyCaller(service, (await service.signUp()).apiKey)));

it('arrive with GET and a body, as the clients for Python and Ruby send them', async () => {
  const path = locationOf(await caller.shrink(photo));
  const body = JSON.stringify({ resize: { method: 'scale', width: 32 } });
  const answer = await new Promise<{ status: number | undefined; width: unknown }>((resolve, reject) => {
    const headers = {
      Authorization: basic(caller.key),
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    };
    const req = request({ port: service.port, method: 'GET', path, headers }, (res) => {
      res.resume().once('end', () => resolve({ status: res.statusCode, width: res.headers['image-width'] }));
    });
    req.on('error', reject).end(body);
  });
  expect(answer).toEqual({ status: 200, width: '32' });
});

it('without commands, POST fetches the result: older clients for Java send {}', async () => {
  const response = await caller.shrink(photo);
  const { output } = (await response.json()) as { output: { size: number } };
  const fetched = await caller.command(locationOf(response), {});
  expect([fetched.status, fetched.headers.get('content-length')]).toEqual([200, String(output.size)]);
  expect(fetched.headers.get('ratelimit')).toBeNull();
});

it.each([1, 2, 3, 4, 5, 6, 7, 8] as Orientation[])(
  'the box is that of the displayed picture: orientation %i',
  async (orientation) => {
    const path = locationOf(await caller.shrink(await photoJpeg(320, 200, { orientation })));
    const isTurned = orientation >= 5;
    const scaled = await caller.command(path, { resize: { method: 'scale', width: 80 } });
    const picture = decodeIndependently(new Uint8Array(await scaled.arrayBuffer()));
    expect([picture.width, picture.height]).toEqual(isTurned ? [80, 128] : [80, 50]);
    // Red was stored at the upper left; see photoPixels.
    const [u, v] = ([, [0, 0], [1, 0], [1, 1], [0, 1], [0, 0], [1, 0], [1, 1], [0, 1]] as number[][])[
      orientation
    ];
    const [red, green, blue] = colourAt(picture, u ? 0.97 : 0.03, v ? 0.97 : 0.03);
    expect(red).toBeGreaterThan(150);
    expect(Math.max(green, blue)).toBeLessThan(100);
    const fitted = await caller.command(path, { resize: { method: 'fit', width: 100, height: 100 } });
    const size = [fitted.headers.get('image-width'), fitted.headers.get('image-height')].map(Number);
    expect(size).toEqual(isTurned ? [63, 100] : [100, 63]);
  },
);

it('resizes PNGs, and never above the deployment’s limit', async () => {
  const path = locationOf(await caller.shrink(graphicPng(300, 200)));
  const response = await caller.command(path, { resize: { method: 'fit', width: 60, height: 1_000_000 } });
  expect(decodeIndependently(new Uint8Array(await response.arrayBuffer()))).toMatchObject({
    width: 60,
    height: 40,
  });
});

it.each([
  [{ resize: { method: 'fit', width: 10 } }, 'needs a width and a height'],
  [{ resize: { method: 'scale', width: 10, height: 10 } }, 'not both'],
  [{ resize: { method: 'scale' } }, 'not both'],
  [{ resize: { method: 'scale', width: 0 } }, 'width must be an integer'],
  [{ resize: { method: 'scale', height: '10' } }, 'height must be an integer'],
  [{ resize: { method: 'cover', width: 10, height: 10 } }, '"fit" and "scale" only'],
  [{ resize: {} }, 'not both'],
  [{ resize: 5 }, '"resize" takes'],
  [{ preserve: 'copyright' }, '"preserve" takes'],
  [{ preserve: ['gps'] }, '"preserve" takes'],
  [{ convert: { type: 'image/webp' } }, '"image/png" only, its own type'],
  [{ convert: { type: ['image/webp', 'image/avif'] } }, 'its own type'],
  [{ convert: {} }, 'takes a "type"'],
  [{ convert: { type: 5 } }, 'takes a "type"'],
  [{ transform: { background: 'white' } }, 'no command "transform"'],
  [{ store: { service: 's3' } }, 'no command "store"'],
  [[1], 'JSON object'],
])('refuses %j', async (commands, sentence) => {
  const path = locationOf(await caller.shrink(graphicPng(16, 16)));
  expect(await expectError(await caller.command(path, commands), 400, 'BadRequest')).toContain(sentence);
});

it('a width without a method scales, and an image converts to its own type', async () => {
  const path = locationOf(await caller.shrink(photo));
  const scaled = await caller.command(path, { resize: { width: 80 } });
  expect(scaled.headers.get('image-height')).toBe('60');
  for (const type of ['image/jpeg', ['image/webp', 'image/jpeg'], '*/*', ['*/*']]) {
    const same = await caller.command(path, { convert: { type } });
    expect([same.status, same.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  }
});

it('commands need a key of the account that uploaded the image', async () => {
  const path = locationOf(await caller.shrink(photo));
  const resize = { resize: { method: 'scale', width: 10 } };
  const second = await caller.send('POST', '/api/v1/account/keys', undefined, {
    Authorization: `Bearer ${caller.key}`,
  });
  const { apiKey } = (await second.json()) as { apiKey: string };
  expect((await caller.command(path, resize, { Authorization: basic(apiKey) })).status).toBe(200);
  const other = await service.signUp();
  await expectError(
    await caller.command(path, resize, { Authorization: basic(other.apiKey) }),
    404,
    'NotFound',
  );
  await expectError(await caller.command(path, resize, { Authorization: '' }), 401, 'Unauthorized');
  await expectError(await caller.command('/output/unknown', resize), 404, 'NotFound');
  expect((await fetch(`${service.url}${path}`)).status).toBe(200);
});
