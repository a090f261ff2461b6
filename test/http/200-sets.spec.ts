/** POST /api/v1/sets: the archives and their files. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { unzipSync } from 'fflate';
import type { SetDescription } from '../../src/compression/application/sets/run-set';
import { eventually } from '../support/eventually';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { expectProblem } from '../support/problem';
import { formWith, ownService } from '../support/service';

const service = ownService({ TRIAL_IMAGES: '5', EFFORT: 'fast', SET_VARIANTS: '6' });
let photo: Buffer;
let apiKey: string;
beforeAll(async () => {
  photo = await photoJpeg(400, 300, { orientation: 6 });
  ({ apiKey } = await service.signUp());
});

function ask(query: string, image: Uint8Array = photo, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/api/v1/sets?${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, ...headers },
    body: formWith(image),
  });
}
async function filesOf(response: Response) {
  expect(response.status).toBe(200);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const { 'set.json': json, ...images } = files;
  const description = JSON.parse(Buffer.from(json).toString()) as SetDescription;
  return { description, images, names: Object.keys(files) };
}
const accountOf = async (key: string) =>
  (await (await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': key } })).json()) as {
    readonly usage: { readonly images: number };
    readonly trial?: { readonly imagesLeft: number };
  };

it('returns a ZIP of every size in every format, and set.json last', async () => {
  const response = await ask('widths=120,240,900&format=webp,same&name=lake&alt=A+lake');
  expect(response.headers.get('content-type')).toBe('application/zip');
  const { description, images, names } = await filesOf(response);
  expect(names).toEqual(['lake-120.webp', 'lake-120.jpg', 'lake-240.webp', 'lake-240.jpg', 'set.json']);
  // The photo is turned: 300 px wide.
  expect(description.leftOut).toEqual([{ width: 900, density: 1 }]);
  expect(description.failed).toEqual([]);
  for (const { name, bytes, width, height, ssim } of description.files) {
    expect(images[name]).toHaveLength(bytes);
    expect(height).toBe((width * 4) / 3);
    expect(ssim).toBeGreaterThan(0.991);
  }
  expect(decodeIndependently(images['lake-240.jpg'])).toMatchObject({ width: 240, height: 320 });
  expect(description.markup).toMatch(
    /<img src="lake-120\.jpg" srcset="lake-120\.jpg 120w, lake-240\.jpg 240w"/,
  );
  expect(description.markup).toContain('width="240" height="320" alt="A lake"');
});

it('returns the bytes of single requests, each judged at its density', async () => {
  const { images } = await filesOf(await ask('width=120&densities=1,2&format=avif,same'));
  const form = () => ({ method: 'POST', headers: { 'X-API-Key': apiKey }, body: formWith(photo) });
  for (const [name, query] of [
    ['image-120.avif', 'max_dimension=160&format=avif'],
    ['image-120@2x.avif', 'max_dimension=320&density=2&format=avif'],
    ['image-120@2x.jpg', 'max_dimension=320&density=2'],
  ]) {
    const single = await fetch(`${service.url}/api/v1/compress?${query}`, form());
    expect(Buffer.compare(Buffer.from(await single.arrayBuffer()), images[name])).toBe(0);
  }
});

it('returns multipart/mixed if asked for', async () => {
  const response = await ask('widths=120&format=webp,same', photo, { Accept: 'multipart/mixed' });
  const [, boundary] =
    /^multipart\/mixed; boundary=(.+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const parts = body.split(`--${boundary}`).slice(1);
  expect(parts.at(-1)).toBe('--\r\n');
  const found = parts.slice(0, -1).map((part) => {
    const [head, ...rest] = part.split('\r\n\r\n');
    const content = rest.join('\r\n\r\n').slice(0, -2);
    expect(content).toHaveLength(Number(/Content-Length: (\d+)/.exec(head)?.[1]));
    return [/Content-Type: (.*)/.exec(head)?.[1], /filename\*=UTF-8''(.*)/.exec(head)?.[1]];
  });
  expect(found).toEqual([
    ['image/webp', 'image-120.webp'],
    ['image/jpeg', 'image-120.jpg'],
    ['application/json', 'set.json'],
  ]);
});

it.each([
  ['colour', /^#[0-9a-f]{6}$/, /style="background:#/],
  ['blur', /^data:image\/webp;base64,/, /style="background:url\(data:image\/webp;base64,/],
])('has a placeholder: %s', async (kind, value, style) => {
  const { description, names } = await filesOf(await ask(`widths=120&placeholder=${kind}`));
  expect(description.placeholder).toMatch(value);
  expect(description.markup).toMatch(style);
  expect(names).toHaveLength(2);
});

it('names a file that failed in set.json, and answers with its problem if there is no other', async () => {
  const transparent = graphicPng(200, 150);
  const { description, names } = await filesOf(await ask('widths=100&format=jpeg,same', transparent));
  expect(names).toEqual(['image-100.png', 'set.json']);
  expect(description.failed).toEqual([
    expect.objectContaining({ name: 'image-100.jpg', code: 'cannot_convert' }),
  ]);
  await expectProblem(await ask('widths=100&format=jpeg', transparent), 422, 'cannot_convert');
  await expectProblem(await ask('widths=100', photo.subarray(0, 3000)), 422, 'undecodable_image');
});

it.each([
  ['', 'widths'],
  ['widths=', 'widths'],
  ['widths=480,x', 'widths'],
  ['widths=15', 'widths'],
  ['widths=100&widths=200', 'widths'],
  ['width=100', 'densities'],
  ['densities=1,2', 'width'],
  ['widths=100&width=100', 'width'],
  ['width=100&densities=1,5', 'densities'],
  ['width=100&densities=1,2&density=2', 'density'],
  ['widths=100&max_dimension=100', 'max_dimension'],
  ['widths=100&name=../x', 'name'],
  ['widths=100&placeholder=grey', 'placeholder'],
  ['widths=100,200,300,400&format=avif,same', 'widths'],
  ['widths=100&quality=best', 'quality'],
  ['widths=100&unknown=1', 'unknown'],
])('refuses %j', async (query, name) => {
  const problem = await expectProblem(await ask(query), 400, 'invalid_request');
  expect(problem['detail']).toContain(`"${name}"`);
});

it('counts each file as an image, and the request once', async () => {
  const account = await service.signUp();
  const response = await ask('widths=100,200&format=webp,same', photo, { 'X-API-Key': account.apiKey });
  expect(response.headers.get('x-ratelimit-remaining')).toBe('99999');
  await filesOf(response);
  let images = 0;
  while (images < 4) ({ images } = (await accountOf(account.apiKey)).usage);
  expect(images).toBe(4);
});

it('reserves the files of a trial before any work, and gives back those that were not made', async () => {
  const opened = await fetch(`${service.url}/api/v1/trials`, { method: 'POST' });
  const trial = ((await opened.json()) as { apiKey: string }).apiKey;
  const withTrial = { 'X-API-Key': trial };
  const few = await expectProblem(
    await ask('widths=50,60,70&format=webp,same', photo, withTrial),
    403,
    'trial_used_up',
  );
  expect(few['detail']).toContain('6 images, more than this trial has left');
  const { names } = await filesOf(await ask('widths=100,900&format=webp,same', photo, withTrial));
  expect(names).toHaveLength(3);
  let left: number | undefined;
  while (left !== 3) left = (await accountOf(trial)).trial?.imagesLeft;
  expect(left).toBe(3);
});

it('sends each file as soon as it is finished, and stops when the client disconnects', async () => {
  const busy = async () => (await service.metrics())['ics_workers_busy'];
  const form = new Response(formWith(await photoJpeg(2400, 1800)));
  const account = await service.signUp();
  const headers = { 'X-API-Key': account.apiKey, 'Content-Type': form.headers.get('content-type') ?? '' };
  const url = `${service.url}/api/v1/sets?widths=100,2000,2400&format=avif,same&effort=max`;
  // Not by fetch, which here reads the whole response to check it.
  const client = request(url, { method: 'POST', headers });
  client.end(Buffer.from(await form.arrayBuffer()));
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  await once(response, 'data');
  expect(await busy()).toBe(1);
  client.destroy();
  await eventually(async () => expect(await busy()).toBe(0));
  // Without the large ones.
  expect((await accountOf(account.apiKey)).usage.images).toBeLessThanOrEqual(2);
});
