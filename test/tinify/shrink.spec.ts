/** `POST /shrink` on the wire, where the clients of Tinify differ from each other. */
import sharp from 'sharp';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { decodeIndependently, photoJpeg } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { asChunk, exchange, bytesOf, RawClient } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { basic, expectError, locationOf, ownCaller } from '../support/tinify';
import { expectHead, expectStatus } from '../support/responses';

const service = sharedClient('tight');
const caller = ownCaller(service);
let photo: Buffer;

beforeAll(async () => (photo = await photoJpeg(320, 240)));

it('answers 201 with a location, the count and the sizes', async () => {
  const response = await caller.shrink(photo, {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'images.example.com',
  });
  expect(response.status).toBe(201);
  const location = response.headers.get('location');
  expect(location).toMatch(/^https:\/\/images\.example\.com\/output\/[\w-]{27}$/);
  expectHead(response, { 'compression-count': '1', 'content-type': 'application/json; charset=utf-8' });
  const body = (await response.json()) as { input: object; output: { size: number; ratio: number } };
  const { size } = body.output;
  expect(body).toEqual({
    input: { size: photo.length, type: 'image/jpeg' },
    output: {
      size,
      type: 'image/jpeg',
      width: 320,
      height: 240,
      ratio: Math.round((size / photo.length) * 1e4) / 1e4,
      url: location,
    },
  });
  const result = await fetch(`${service.url}${locationOf(response)}`);
  expectHead(result, {
    'content-length': String(size),
    'image-width': '320',
    'image-height': '240',
    'content-type': 'image/jpeg',
  });
  const bytes = await bytesOf(result);
  expect(bytes.length).toBe(size);
  expect(decodeIndependently(bytes)).toMatchObject({ width: 320, height: 240 });
});

it('strips an image that cannot become smaller', async () => {
  const download = async (response: Response) => {
    const location = response.headers.get('location');
    // Relative for a client that came without TLS.
    expect(location).toMatch(/^\/output\/[\w-]{27}$/);
    return bytesOf(await fetch(`${service.url}${location}`));
  };
  const result = await download(await caller.shrink(photo));
  const artist = writeTiff([asciiField(0x013b, 'Jane Artist')]);
  const source = Buffer.from(withSegments(result, [exifSegment(artist)]));
  expect((await sharp(source).metadata()).exif?.includes('Jane')).toBe(true);
  const response = await caller.shrink(source);
  expect(await download(response)).toEqual(result);
  const { output } = (await response.json()) as { output: { size: number } };
  expect(output.size).toBe(result.length);
  const kept = await caller.command(locationOf(response), { preserve: ['copyright'] });
  expect(await bytesOf(kept)).toEqual(source);
});

it.each(['image/png', 'application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'])(
  'takes an image for an image, whatever its type says: %s',
  (type) => expectStatus(caller.shrink(photo, { 'Content-Type': type }), 201),
);

it('takes any user name, and the scheme in lower case', async () => {
  const Authorization = basic(caller.key, 'somebody').replace('Basic', 'basic');
  await expectStatus(caller.shrink(photo, { Authorization }), 201);
});

it.each([
  ['no header', ''],
  ['another scheme', 'Bearer abc'],
  ['no colon', `Basic ${Buffer.from('api').toString('base64')}`],
  ['no password', basic('')],
  ['no base64', 'Basic ???'],
  ['a wrong key', basic('ics_wrong')],
])('answers 401 before it looks at the body: %s', async (_, Authorization) => {
  for (const body of [undefined, 'no image']) {
    const response = await caller.send('POST', '/shrink', body, { Authorization });
    expectHead(response, { 'www-authenticate': 'Basic realm="api"' });
    await expectError(response, 401, 'Unauthorized');
  }
});

it('an empty body checks the key and does not count as an image', async () => {
  const empty = await caller.send('POST', '/shrink');
  expectHead(empty, { 'compression-count': '0', ratelimit: null });
  await expectError(empty, 400, 'InputMissing', 'Input missing');
  const { status, body } = await exchange(
    service.port,
    `POST /shrink HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic(caller.key)}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  expect([status, JSON.parse(body)]).toMatchObject([400, { error: 'InputMissing' }]);
});

it('limits checks of a key as requests to the account', async () => {
  const statuses = [];
  for (let i = 0; i < 6; i++) statuses.push((await caller.send('POST', '/shrink')).status);
  expect(statuses).toEqual([...Array<number>(5).fill(400), 429]);
  const refused = await caller.send('POST', '/shrink');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await expectError(refused, 429, 'TooManyRequests');
  await expectStatus(caller.shrink(photo), 201);
});

it('refuses a body that is not a JPG or PNG, too large, encoded or damaged', async () => {
  await expectError(caller.shrink('hello, world'), 415, 'UnsupportedMediaType');
  await expectError(caller.shrink('x'), 415, 'UnsupportedMediaType');
  await expectError(caller.shrink(photo, { 'Content-Encoding': 'gzip' }), 415, 'UnsupportedMediaType');
  await expectError(caller.shrink(Buffer.concat([photo, Buffer.alloc(1 << 20)])), 413, 'ImageTooLarge');
  await expectError(caller.shrink(photo.subarray(0, photo.length / 4)), 422, 'UndecodableImage');
});

it('refuses a body that outgrows the limit without declaring its length, or that is unread', async () => {
  const client = new RawClient(service.port);
  client.write(
    `POST /shrink HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic(caller.key)}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const piece = Buffer.concat([photo, Buffer.alloc(64 * 1024 - (photo.length % 1024))]);
  for (let sent = 0; sent <= 1 << 20; sent += piece.length) client.write(asChunk(piece));
  expect(await client.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
  client.close();
  const head = 'POST /shrink HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n';
  const unread = await exchange(service.port, head, Buffer.alloc(1000));
  expect(unread).toMatchObject({ status: 401, headers: { connection: 'close' } });
});

it.each(['{"source":{"url":"https://example.com/a.jpg"}}', '{', '[]', ' '.repeat(20_000)])(
  'refuses a URL, and any other JSON: %s',
  async (json) => {
    const refused = caller.shrink(json, { 'Content-Type': 'application/json' });
    await expectError(refused, 400, 'BadRequest', 'This service takes no URLs; download');
  },
);

it('counts each upload for the rate limit, and only finished images as compressions', async () => {
  const notAnImage = await caller.shrink('text');
  expectHead(notAnImage, { status: 415, 'x-ratelimit-remaining': '9' });
  const uploaded = await caller.shrink(photo);
  const counts = ['x-ratelimit-remaining', 'compression-count'].map((name) => uploaded.headers.get(name));
  expect([uploaded.status, ...counts]).toEqual([201, '8', '1']);
  for (let i = 0; i < 8; i++) await expectStatus(caller.shrink(photo), 201);
  const refused = await caller.shrink(photo);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await expectError(refused, 429, 'TooManyRequests');
});
