import sharp from 'sharp';
import { png as drawnPng, screenshot } from '../support/drawn-pngs';
import { eventually } from '../support/eventually';
import { photoJpeg, difference, samplesOf } from '../support/images';
import { expectBytes, expectProblem, expectHead } from '../support/responses';
import { bytesOf } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();
let photo: Buffer;
let graphic: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(200, 150, { quality: 95 });
  graphic = drawnPng(200, 150, screenshot);
});

const compress = (query: string, image: Buffer, headers: Record<string, string> = {}) =>
  service.send(image, query, headers);

/** Decoded by libvips, which the encoders do not share with pngjs and jpeg-js. */
const pixelsOf = (bytes: Buffer) => samplesOf(sharp(bytes).ensureAlpha());

it.each([
  ['avif', 'image/avif', 'heif'],
  ['webp', 'image/webp', 'webp'],
  ['png', 'image/png', 'png'],
  ['jpg', 'image/jpeg', 'jpeg'],
])('format=%s: a photo becomes one that looks the same', async (format, mediaType, decoder) => {
  const response = await compress(`?format=${format}`, photo);
  const bytes = await bytesOf(response);
  const size = String(bytes.length);
  expectHead(response, { status: 200, 'content-type': mediaType, 'x-compressed-size': size });
  expect((await sharp(bytes).metadata()).format).toBe(decoder);
  expect(difference(await pixelsOf(bytes), photo)).toBeLessThan(format === 'png' ? 4 : 8);
  if (format !== 'png') expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
});

it.each(['avif', 'webp', 'png', 'jpeg'])(
  'metrics and log count a result in %s as that format',
  async (format) => {
    const before = await service.metrics();
    const response = await compress(`?format=${format}`, photo);
    const { length } = await bytesOf(response);
    const after = await service.metrics();
    const growthOf = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect(growthOf(`ics_images_total{format="${format}",outcome="compressed"}`)).toBe(1);
    expect(growthOf(`ics_image_bytes_total{format="${format}",kind="in"}`)).toBe(photo.length);
    expect(growthOf(`ics_image_bytes_total{format="${format}",kind="out"}`)).toBe(length);
    // Only JPGs count among the qualities of JPGs.
    expect(growthOf('ics_jpeg_quality_count')).toBe(format === 'jpeg' ? 1 : 0);
    const requestId = response.headers.get('x-request-id');
    const lineOf = () => service.logs().find((line) => line['requestId'] === requestId);
    await eventually(() => expect(lineOf()).toMatchObject({ format, compressedSize: length }));
  },
);

it('a format that is asked for is delivered even if it is larger', async () => {
  const response = await compress('?format=png', photo);
  expect(Number(response.headers.get('x-compressed-size'))).toBeGreaterThan(photo.length);
  expectHead(response, { 'x-bytes-saved': '0', 'x-skipped': null });
});

it('a graphic becomes a lossless WebP with the pixels of its PNG result', async () => {
  const asPng = await bytesOf(await compress('', graphic));
  const response = await compress('?format=webp', graphic);
  const webp = await bytesOf(response);
  expect(webp.length).toBeLessThan(asPng.length);
  expectHead(response, { 'x-quality': null });
  expect(difference(await pixelsOf(webp), asPng)).toBe(0);
});

it.each([
  ['image/avif,image/webp,*/*', 'image/avif'],
  ['*/*', 'image/jpeg'],
  ['image/*', 'image/jpeg'],
  ['image/avif;q=0, image/*', 'image/jpeg'],
  ['complete nonsense;;;', 'image/jpeg'],
])('format=auto: with Accept: %s a photo becomes %s', async (accept, mediaType) => {
  const response = await compress('?format=auto', photo, { Accept: accept });
  expectHead(response, { status: 200, 'content-type': mediaType });
  expect(response.headers.get('vary')).toContain('Accept');
});

it('without asking, the format stays and Accept does not count', async () => {
  const response = await compress('', photo, { Accept: 'image/avif' });
  expectHead(response, { 'content-type': 'image/jpeg' });
  expect(response.headers.get('vary') ?? '').not.toContain('Accept');
});

it.each(['gif', 'avif,gif', '', 'AVIF', 'avif,,webp'])(
  'format=%s is refused and names what there is',
  async (format) => {
    const refused = compress(`?format=${format}`, photo);
    await expectProblem(refused, 400, 'invalid_request', /"format".*jpeg, png, webp, avif/);
  },
);

it.each(['avif', 'webp', 'jpeg'])('max_bytes works with format=%s', async (format) => {
  const usual = Number((await compress(`?format=${format}`, photo)).headers.get('x-compressed-size'));
  const maxBytes = Math.round(usual * 0.85);
  const response = await compress(`?format=${format}&max_bytes=${maxBytes}`, photo);
  expectHead(response, { 'x-budget': 'met' });
  const { length } = await expectBytes(response);
  expect(length).toBeLessThanOrEqual(maxBytes);
  expect(length).toBeGreaterThan(maxBytes * 0.6);
});
