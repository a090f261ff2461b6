/** `POST /api/v1/compare`: the numbers, the count, and the refusals of pairs. */
import sharp from 'sharp';
import { graphicPng, photoJpeg } from '../support/images';
import { sharedClientWithKey } from '../support/shared-service';
import { formWith, pairOf } from '../support/service';

const service = sharedClientWithKey();
let photo: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(320, 240, { quality: 95 });
});

const compare = (original: Uint8Array, image: Uint8Array, query = '') =>
  fetch(`${service.url}/api/v1/compare${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': service.apiKey },
    body: pairOf(original, image),
  });

it.each(['', '?format=webp&density=2', '?max_dimension=160&format=avif'])(
  'states X-SSIM: %s',
  async (query) => {
    const compressed = await fetch(`${service.url}/api/v1/compress${query}`, {
      method: 'POST',
      headers: { 'X-API-Key': service.apiKey },
      body: formWith(photo),
    });
    const result = Buffer.from(await compressed.arrayBuffer());
    const compared = await compare(photo, result, query.includes('density') ? '?density=2' : '');
    expect(compared.status).toBe(200);
    const [width, height] = String(compressed.headers.get('x-dimensions')).split('x').map(Number);
    expect(await compared.json()).toMatchObject({
      ssim: Number(compressed.headers.get('x-ssim')),
      density: Number(compressed.headers.get('x-density') ?? 1),
      dimensions: { width, height },
      original_dimensions: { width: 320, height: 240 },
    });
  },
);

it('finds the worst spot and the largest difference', async () => {
  const original = graphicPng(200, 120);
  const spot = { create: { width: 6, height: 6, channels: 3 as const, background: '#f0f' } };
  const image = await sharp(original)
    .composite([{ input: spot, left: 140, top: 70 }])
    .png()
    .toBuffer();
  const { worst, max_error, ssimulacra2 } = (await (await compare(original, image)).json()) as {
    worst: object;
    max_error: number;
    ssimulacra2: number;
  };
  expect(worst).toEqual({ x: 128, y: 64, width: 32, height: 32 });
  expect(max_error).toBeGreaterThan(100);
  expect(ssimulacra2).toBeLessThan(100);
});

it('says that equal images are equal', async () => {
  const body = await (await compare(photo, photo)).json();
  expect(body).toMatchObject({ ssim: 1, ssimulacra2: 100, max_error: 0, worst: null });
});

it('counts as one image, without bytes saved', async () => {
  const other = await service.signUp();
  const headers = { 'X-API-Key': other.apiKey };
  const answer = await fetch(`${service.url}/api/v1/compare`, {
    method: 'POST',
    headers,
    body: pairOf(photo, photo),
  });
  const [limit, left] = ['limit', 'remaining'].map((name) =>
    Number(answer.headers.get(`x-ratelimit-${name}`)),
  );
  expect(left).toBe(limit - 1);
  const account = (await (await fetch(`${service.url}/api/v1/account`, { headers })).json()) as {
    usage: object;
  };
  expect(account.usage).toEqual({ images: 1, bytesIn: 2 * photo.length, bytesSaved: 0 });
});

const displayP3 = () => sharp(photo).withIccProfile('p3').webp().toBuffer();
const animated = async () =>
  sharp([photo, await sharp(photo).negate().toBuffer()], { join: { animated: true } })
    .webp()
    .toBuffer();
it.each([
  ['a crop', () => photoJpeg(200, 200), 'other-shape'],
  ['a larger image', () => photoJpeg(640, 480), 'larger-image'],
  ['other colours', displayP3, 'other-colours'],
  ['an animation', animated, 'frames'],
])('refuses %s', async (_, image, reason) => {
  const refused = await compare(photo, await image());
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ code: 'cannot_compare', reason });
});

it.each([
  [
    'a truncated WebP',
    async () => (await sharp(photo).webp().toBuffer()).subarray(0, 900),
    422,
    'undecodable_image',
  ],
  [
    'a truncated AVIF',
    async () => (await sharp(photo).avif().toBuffer()).subarray(0, 900),
    422,
    'undecodable_image',
  ],
  [
    'the start of an AVIF',
    async () => (await sharp(photo).avif().toBuffer()).subarray(0, 60),
    422,
    'undecodable_image',
  ],
  ['a GIF', () => sharp(photo).gif().toBuffer(), 415, 'unsupported_media_type'],
])('refuses %s', async (_, image, status, code) => {
  const refused = await compare(photo, await image());
  expect([refused.status, (await refused.json()) as object]).toEqual([
    status,
    expect.objectContaining({ code }),
  ]);
});

it('refuses a WebP as the original', async () => {
  expect((await compare(await sharp(photo).webp().toBuffer(), photo)).status).toBe(415);
});

it('takes no other option', async () => {
  const refused = await compare(photo, photo, '?quality=low');
  expect(await refused.json()).toMatchObject({ code: 'invalid_request' });
});
