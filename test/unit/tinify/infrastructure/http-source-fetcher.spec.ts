/** Fetching from URLs: which may be fetched. An injected resolver invents names for a server on this machine. */
import { Problem } from '../../../../src/contract/problem';
import { sourceNotAllowed, sourceUnavailable } from '../../../../src/contract/tinify-problems';
import { HttpSourceFetcher, type Network } from '../../../../src/tinify/infrastructure/http-source-fetcher';
import { isPublicAddress } from '../../../../src/tinify/infrastructure/public-address';
import { ImageServer } from '../../../support/image-server';
import { graphicPng } from '../../../support/images';

const image = graphicPng(64, 64);
const server = new ImageServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => server.reset(image));

/** Names and their addresses; a function is asked anew each time. */
type Names = Record<string, string[] | (() => string[])>;

function fetcher(names: Names, network: Partial<Network> = {}) {
  const sources = [
    { name: 'images.test', port: server.port },
    { name: '.cdn.test', port: server.port },
    { name: '127.0.0.1', port: server.port },
  ];
  return new HttpSourceFetcher(sources, {
    resolve: (host, _, done) => {
      const found = names[host] as Names[string] | undefined;
      const addresses = typeof found === 'function' ? found() : found;
      if (!addresses) done(new Error('ENOTFOUND'), []);
      else
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
    },
    // In these tests the loopback address stands for a public one, and 127.0.0.2 for a private one.
    isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
    timeoutMs: 10_000,
    ...network,
  });
}

const names: Names = { 'images.test': ['127.0.0.1'], 'a.cdn.test': ['127.0.0.1'] };
const limits = (more: object = {}) => ({
  maxBytes: 1_000_000,
  onBytes: () => undefined,
  signal: new AbortController().signal,
  ...more,
});
const url = (host: string, path = '/a.png') => `http://${host}:${server.port}${path}`;
const REFUSED = sourceUnavailable().detail;

it('returns the bytes of an image, and forwards nothing from the client', async () => {
  const onBytes = jest.fn();
  const bytes = await fetcher(names).fetch(url('images.test', '/a.png?b=c'), limits({ onBytes }));
  expect(bytes.equals(image)).toBe(true);
  expect(onBytes.mock.calls.at(-1)).toEqual([image.length]);
  expect(server.requests[0].url).toBe('/a.png?b=c');
  expect(server.requests[0].headers).toEqual({
    accept: 'image/jpeg, image/png',
    'accept-encoding': 'identity',
    host: `images.test:${server.port}`,
    connection: 'close',
  });
});

it('takes any name below a listed one, but not that itself, and not the same ending', async () => {
  expect((await fetcher(names).fetch(url('a.cdn.test'), limits())).equals(image)).toBe(true);
  const all: Names = {
    'cdn.test': ['127.0.0.1'],
    'evilcdn.test': ['127.0.0.1'],
    'images.test.': ['127.0.0.1'],
  };
  for (const host of [...Object.keys(all), 'other.test', 'localhost', '[::1]']) {
    await expect(fetcher(all).fetch(url(host), limits())).rejects.toThrow(sourceNotAllowed().detail);
  }
  expect(server.requests).toHaveLength(1);
});

it('takes the port that is listed, and default ports where none is', async () => {
  for (const place of ['images.test', `images.test:${server.port + 1}`]) {
    await expect(fetcher(names).fetch(`http://${place}/`, limits())).rejects.toThrow(
      sourceNotAllowed().detail,
    );
  }
  const network = {
    resolve: jest.fn((_host, _options, done: (e: Error | null, a: never[]) => void) => done(null, [])),
  };
  const plain = new HttpSourceFetcher([{ name: 'images.test' }], {
    ...network,
    isPublic: () => true,
    timeoutMs: 1000,
  });
  await expect(plain.fetch(url('images.test'), limits())).rejects.toThrow(sourceNotAllowed().detail);
  expect(network.resolve).not.toHaveBeenCalled();
  for (const place of ['http://images.test:80/', 'https://images.test/', 'https://images.test:443/']) {
    await expect(plain.fetch(place, limits())).rejects.toThrow(REFUSED);
  }
  expect(network.resolve).toHaveBeenCalledTimes(3);
});

it.each([
  'ftp://images.test/a.png',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'images.test/a.png',
  '',
  'http://',
  'http://user:password@images.test/a.png',
])('refuses %j as no URL that may be fetched', async (text) => {
  await expect(fetcher(names).fetch(text, limits())).rejects.toThrow('must be an http or https URL');
});

it.each([
  ['private', ['10.0.0.1']],
  ['metadata of a cloud', ['169.254.169.254']],
  ['loopback of IPv6', ['::1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['a private one among public ones', ['127.0.0.1', '192.168.0.1']],
  ['none', []],
])('refuses a name that resolves to %s', async (_, addresses) => {
  await expect(fetcher({ 'images.test': addresses }).fetch(url('images.test'), limits())).rejects.toThrow(
    REFUSED,
  );
  expect(server.requests).toHaveLength(0);
});

it('gives the same error for a private host and for one that does not exist', async () => {
  const problems = await Promise.all(
    [{ 'images.test': ['10.0.0.1'] }, {}, { 'images.test': ['127.0.0.1'] }].map((resolved, i) => {
      server.answer = (_, res) => res.writeHead(500).end();
      return fetcher(resolved as Names)
        .fetch(url('images.test', `/${i}`), limits())
        .catch((error: unknown) => error);
    }),
  );
  expect(new Set(problems.map((problem) => (problem as Problem).detail))).toEqual(new Set([REFUSED]));
});

it('connects to the address that it has checked: a name that changes its mind gains nothing', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  const rebinding: Names = { 'images.test': () => answers.shift() ?? ['10.0.0.1'] };
  expect((await fetcher(rebinding).fetch(url('images.test'), limits())).equals(image)).toBe(true);
  expect(answers).toHaveLength(1);
  await expect(fetcher(rebinding).fetch(url('images.test'), limits())).rejects.toThrow(REFUSED);
});

it('refuses addresses in URLs too, however they are written, even when they are listed', async () => {
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1']) {
    const refused = fetcher(names, { isPublic: isPublicAddress }).fetch(url(host), limits());
    await expect(refused).rejects.toThrow(REFUSED);
  }
  expect(server.requests).toHaveLength(0);
});

describe('redirects', () => {
  const redirectTo = (location: string, status = 302) => {
    server.answer = (req, res) => {
      if (req.url === '/a.png') res.writeHead(status, { location }).end('moved');
      else res.end(image);
    };
  };

  it.each([301, 302, 303, 307, 308])('%i is followed, relative or not', async (status) => {
    for (const location of ['/b.png', url('a.cdn.test', '/b.png')]) {
      redirectTo(location, status);
      expect((await fetcher(names).fetch(url('images.test'), limits())).equals(image)).toBe(true);
    }
  });

  it('are checked like the first URL', async () => {
    redirectTo(url('other.test', '/b.png'));
    await expect(fetcher(names).fetch(url('images.test'), limits())).rejects.toThrow(
      sourceNotAllowed().detail,
    );
    redirectTo('http://169.254.169.254/latest/meta-data');
    await expect(fetcher(names).fetch(url('images.test'), limits())).rejects.toThrow(
      sourceNotAllowed().detail,
    );
    redirectTo(url('a.cdn.test', '/b.png'));
    const turned = fetcher({ ...names, 'a.cdn.test': ['127.0.0.2'] }, { isPublic: (a) => a === '127.0.0.1' });
    await expect(turned.fetch(url('images.test'), limits())).rejects.toThrow(REFUSED);
    redirectTo('file:///etc/passwd');
    await expect(fetcher(names).fetch(url('images.test'), limits())).rejects.toThrow('http or https URL');
    expect(server.requests.every((request) => request.url === '/a.png')).toBe(true);
  });

  it('end after the third', async () => {
    server.answer = (_, res) => res.writeHead(302, { location: '/again' }).end();
    await expect(fetcher(names).fetch(url('images.test'), limits())).rejects.toThrow(REFUSED);
    expect(server.requests).toHaveLength(4);
  });
});

it('fetches nothing where no host is listed', async () => {
  await expect(new HttpSourceFetcher([]).fetch(url('images.test'), limits())).rejects.toThrow(
    'does not fetch',
  );
});
