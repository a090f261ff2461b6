import sharp from 'sharp';
import type { Orientation } from '../../src/compression/domain/dimensions';
import { pngOfPixels } from '../../src/compression/formats/png/png-chunks';
import { colourAt, decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { ARTIST, fullJpeg } from '../support/metadata-files';
import { bytesOf } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { basic, expectError, locationOf, ownCaller } from '../support/tinify';
import { expectHead, expectStatus } from '../support/responses';

const service = sharedClient();
const caller = ownCaller(service);
let photo: Buffer;

beforeAll(async () => (photo = await photoJpeg(320, 240)));

it('without commands, POST fetches the result: older clients for Java send {}', async () => {
  const response = await caller.shrink(photo);
  const { output } = (await response.json()) as { output: { size: number } };
  const fetched = await caller.command(locationOf(response), {});
  expectHead(fetched, { status: 200, 'content-length': String(output.size), ratelimit: null });
});

it.each([1, 2, 5, 6] as Orientation[])(
  'the box is that of the displayed picture: orientation %i',
  async (orientation) => {
    const path = await caller.upload(await photoJpeg(320, 200, { orientation }));
    const isTurned = orientation >= 5;
    const scaled = await caller.command(path, { resize: { method: 'scale', width: 80 } });
    const picture = decodeIndependently(await bytesOf(scaled));
    expect([picture.width, picture.height]).toEqual(isTurned ? [80, 128] : [80, 50]);
    // Red was stored at the upper left; see photoPixels.
    const isRight = orientation === 2 || orientation === 6;
    const [red, green, blue] = colourAt(picture, isRight ? 0.97 : 0.03, 0.03);
    expect(red).toBeGreaterThan(150);
    expect(Math.max(green, blue)).toBeLessThan(100);
    const fitted = await caller.command(path, { resize: { method: 'fit', width: 100, height: 100 } });
    const size = [fitted.headers.get('image-width'), fitted.headers.get('image-height')].map(Number);
    expect(size).toEqual(isTurned ? [63, 100] : [100, 63]);
  },
);

it.each([
  [{ resize: { method: 'fit', width: 10 } }, 'needs a width and a height'],
  [{ resize: { method: 'scale' } }, 'not both'],
  [{ resize: { method: 'scale', width: 0 } }, 'width must be an integer'],
  [{ resize: { method: 'scale', height: '10' } }, 'height must be an integer'],
  [{ resize: { method: 'cover', width: 10 } }, 'The method "cover" needs a width and a height'],
  [{ resize: { method: 'crop', width: 10, height: 10 } }, 'one of fit, scale, cover, thumb'],
  [{ resize: 5 }, '"resize" takes'],
  [{ preserve: 'copyright' }, '"preserve" takes'],
  [{ preserve: ['gps'] }, '"preserve" takes'],
  [{ convert: { type: 'image/gif' } }, 'takes the types image/jpeg, image/png, image/webp, image/avif'],
  [{ convert: { type: 5 } }, 'takes a "type"'],
  [{ transform: { background: 'blue' } }, '"white", "black" or a colour'],
  [{ transform: { background: 'white', rotate: 90 } }, 'takes a "background"'],
  [{ store: { service: 's3' } }, 'no command "store"'],
  [[1], 'JSON object'],
])('refuses %j', async (commands, sentence) => {
  const path = await caller.upload(graphicPng(16, 16));
  await expectError(caller.command(path, commands), 400, 'BadRequest', sentence);
});

describe('convert', () => {
  async function converted(image: Buffer, commands: object) {
    const response = await caller.command(await caller.upload(image), commands);
    const bytes = await bytesOf(response);
    const named = (name: string) => response.headers.get(name);
    return { status: response.status, type: named('content-type'), named, bytes, size: bytes.length };
  }

  it.each(['image/webp', 'image/avif', 'image/png'])('a JPG to %s', async (type) => {
    const result = await converted(photo, { convert: { type } });
    expect([result.status, result.type]).toEqual([200, type]);
    const sizes = ['image-width', 'image-height', 'content-length', 'compression-count'].map(result.named);
    expect(sizes).toEqual(['320', '240', String(result.size), '2']);
    expect(await sharp(result.bytes).metadata()).toMatchObject({ width: 320, height: 240 });
  });

  it('to the smallest of several types, whatever their order', async () => {
    const single = await Promise.all(
      ['image/webp', 'image/avif', 'image/jpeg'].map((type) => converted(photo, { convert: { type } })),
    );
    const [smallest] = [...single].sort((a, b) => a.size - b.size);
    for (const type of [['image/jpeg', 'image/avif', 'image/webp'], ['*/*'], '*/*']) {
      const result = await converted(photo, { convert: { type } });
      expect([result.type, result.size]).toEqual([smallest.type, smallest.size]);
    }
  });

  it('ignores a type that this service does not write among others', async () => {
    const result = await converted(photo, { convert: { type: ['image/gif', 'image/webp'] } });
    expect(result.type).toBe('image/webp');
  });

  it('with a crop and preserved rights', async () => {
    const result = await converted(fullJpeg(photo, 1, 320, 240), {
      convert: { type: 'image/webp' },
      resize: { method: 'cover', width: 60, height: 60 },
      preserve: ['copyright'],
    });
    expect([result.type, result.named('image-width'), result.named('image-height')]).toEqual([
      'image/webp',
      '60',
      '60',
    ]);
    expect([result.bytes.includes(ARTIST), result.bytes.includes('Secret')]).toEqual([true, false]);
  });

  it.each([
    ['white', [255, 255, 255]],
    ['BLACK', [0, 0, 0]],
    ['#3366CC', [51, 102, 204]],
  ])('a transparent PNG to JPG over %s, and never without a background', async (background, colour) => {
    const convert = { type: 'image/jpeg' };
    const result = await converted(transparentPng(), { convert, transform: { background } });
    expect([result.status, result.type]).toEqual([200, 'image/jpeg']);
    const shown = colourAt(decodeIndependently(result.bytes), 0.1, 0.1).slice(0, 3);
    shown.forEach((sample, c) => expect(Math.abs(sample - colour[c])).toBeLessThan(8));
    const path = await caller.upload(transparentPng());
    const words = /transparency.*"transform".*"background"/;
    await expectError(caller.command(path, { convert }), 400, 'BadRequest', words);
    // Other formats hold transparency.
    const either = await caller.command(path, { convert: { type: ['image/jpeg', 'image/webp'] } });
    expectHead(either, { status: 200, 'content-type': 'image/webp' });
  });

  it('transform without convert fills a PNG, and does not change a JPG', async () => {
    const filled = await converted(transparentPng(), { transform: { background: '#ff0000' } });
    expect([filled.status, filled.type]).toEqual([200, 'image/png']);
    expect(colourAt(decodeIndependently(filled.bytes), 0.1, 0.1)).toEqual([255, 0, 0, 255]);
    const plain = await converted(photo, { transform: { background: 'black' } });
    expect([plain.status, plain.type]).toEqual([200, 'image/jpeg']);
  });
});

function transparentPng(): Buffer {
  const data = new Uint8Array(60 * 40 * 4);
  for (let y = 15; y < 30; y++) for (let x = 25; x < 50; x++) data.set([20, x, 200, 255], (y * 60 + x) * 4);
  return Buffer.from(pngOfPixels({ width: 60, height: 40, channels: 4, data }));
}

it('commands need a key of the account that uploaded the image', async () => {
  const path = await caller.upload(photo);
  const resize = { resize: { method: 'scale', width: 10 } };
  const { apiKey } = await service.addKey(caller.key);
  await expectStatus(caller.command(path, resize, { Authorization: basic(apiKey) }), 200);
  const other = await service.signUp();
  const foreign = caller.command(path, resize, { Authorization: basic(other.apiKey) });
  await expectError(foreign, 404, 'NotFound');
  await expectError(caller.command(path, resize, { Authorization: '' }), 401, 'Unauthorized');
  await expectError(caller.command('/output/unknown', resize), 404, 'NotFound');
  await expectStatus(fetch(`${service.url}${path}`), 200);
});
