/** Images from URLs, against the running service; what needs invented names is in the unit tests of the fetcher. */
import { join } from 'node:path';
import { ImageServer } from '../support/image-server';
import { graphicPng } from '../support/images';
import { startService, type Service } from '../support/service';
import { expectError, locationOf, TinifyCaller } from '../support/tinify';

const image = graphicPng(200, 100);
const server = new ImageServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => server.reset(image));
const paths = () => server.requests.map(({ url }) => url);

async function start(env: Record<string, string>): Promise<[Service, TinifyCaller]> {
  const hosts = `localhost,localhost:${server.port},*.localhost:${server.port},images.example.com`;
  const service = await startService({ TINIFY_API: 'on', URL_SOURCES: hosts, MAX_UPLOAD_MB: '1', ...env });
  return [service, new TinifyCaller(service, (await service.signUp()).apiKey)];
}

describe('a service in a private network', () => {
  let service: Service;
  let caller: TinifyCaller;
  beforeAll(async () => ([service, caller] = await start({})));
  afterAll(() => service.stop());

  it.each([
    ['an address', '127.0.0.1'],
    ['an address of IPv6', '[::1]'],
    ['a mapped address', '[::ffff:127.0.0.1]'],
    ['metadata of a cloud', '169.254.169.254'],
    ['a decimal address', '2130706433'],
    ['a hexadecimal address', '0x7f000001'],
    ['an octal address', '0177.0.0.1'],
    ['a short address', '127.1'],
    ['nowhere', '0.0.0.0'],
    ['a name that is not listed', 'example.com'],
  ])('does not fetch from %s: %s', async (_, host) => {
    for (const place of [host, `${host}:${server.port}`]) {
      const message = await expectError(await caller.shrinkUrl(`http://${place}/a.png`), 400, 'BadRequest');
      expect(message).toContain('does not fetch images from the host');
    }
    expect(paths()).toEqual([]);
  });

  it.each(['localhost', 'a.localhost'])(
    'does not connect to %s, which is listed and resolves to a private address',
    async (host) => {
      const message = await expectError(
        await caller.shrinkUrl(`http://${host}:${server.port}/a.png`),
        400,
        'BadRequest',
      );
      expect(message).toContain('no public address');
      expect(paths()).toEqual([]);
    },
  );

  it('gives the same response for a port where nothing listens', async () => {
    const [open, closed] = await Promise.all(
      [`http://localhost:${server.port}/`, 'http://localhost/'].map(async (url) =>
        (await caller.shrinkUrl(url)).text(),
      ),
    );
    expect(open).toBe(closed);
  });

  it('counts refused URLs for the rate limit, and not as images', async () => {
    const response = await caller.shrinkUrl(`http://localhost:${server.port}/a.png`);
    expect(response.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    const valid = await fetch(`${service.url}/keys/${caller.key}`);
    expect(valid.headers.get('compression-count')).toBe('0');
  });
});

describe('a service for which 127.0.0.1 is public', () => {
  let service: Service;
  let caller: TinifyCaller;
  const preload = join(__dirname, '..', 'support', 'public-loopback.cjs');
  beforeAll(async () => ([service, caller] = await start({ NODE_OPTIONS: `--require ${preload}` })));
  afterAll(() => service.stop());
  const here = (path: string) => `http://localhost:${server.port}${path}`;

  it('fetches an image, compresses it like an upload, and takes commands for it', async () => {
    const response = await caller.shrinkUrl(here('/a.png'));
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ input: { size: image.length, type: 'image/png' } });
    const resized = await caller.command(locationOf(response), { resize: { method: 'scale', width: 20 } });
    expect(resized.headers.get('image-height')).toBe('10');
  });

  it('checks the host of each redirect', async () => {
    const targets = [
      `http://127.0.0.1:${server.port}/b`,
      `http://[::1]:${server.port}/b`,
      'http://169.254.169.254/',
      'http://example.com/',
    ];
    for (const target of targets) {
      server.answer = (_, res) => res.writeHead(302, { location: target }).end();
      await expectError(await caller.shrinkUrl(here('/a')), 400, 'BadRequest');
    }
    expect(paths()).toEqual(targets.map(() => '/a'));
    server.answer = ({ url: path }, res) =>
      res.writeHead(path === '/a' ? 302 : 200, { location: '/b' }).end(path === '/a' ? '' : image);
    expect((await caller.shrinkUrl(here('/a'))).status).toBe(201);
  });

  it('refuses a fetched file that is too large, damaged, missing or not an image', async () => {
    server.answer = (_, res) => res.end(Buffer.concat([image, Buffer.alloc(1 << 20)]));
    await expectError(await caller.shrinkUrl(here('/large')), 413, 'ImageTooLarge');
    server.answer = (_, res) => res.end('{"secret":"value"}');
    expect(
      await expectError(await caller.shrinkUrl(here('/json')), 415, 'UnsupportedMediaType'),
    ).not.toContain('secret');
    server.answer = (_, res) => res.end(image.subarray(0, 60));
    await expectError(await caller.shrinkUrl(here('/damaged')), 422, 'UndecodableImage');
    server.answer = (_, res) => res.writeHead(404).end();
    await expectError(await caller.shrinkUrl(here('/missing')), 400, 'BadRequest');
  });
});
