/** The code samples at /docs, run as their readers would. Those that send files wait as long as a busy service asks. */
import { spawn, spawnSync } from 'node:child_process';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { Folder, PROJECT } from '../support/folders';
import { decodeIndependently } from '../support/images';
import { portOf } from '../support/listening';
import { isAvailable } from '../support/services';
import { sharedClientWithKey } from '../support/shared-service';

const SAMPLE = PROJECT.read('examples/sample.jpg');
const RETRY_AFTER_S = 1;

/** By language: the file of the program, how to run it, and a command that succeeds if that is possible here. */
const LANGUAGES: Record<string, { file: string; run: string[]; probe: string[] }> = {
  Shell: { file: 'sample.sh', run: ['bash'], probe: ['curl', '--version'] },
  JavaScript: { file: 'sample.mjs', run: [process.execPath], probe: [process.execPath, '--version'] },
};

const service = sharedClientWithKey();
let paths: OpenAPIObject['paths'];
beforeAll(async () => {
  ({ paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject);
});

type Method = 'get' | 'post' | 'delete';

function samplesOf(method: Method, path: string) {
  return paths?.[path][method]?.['x-codeSamples'] as { lang: string; source: string }[];
}

/** Starts a server that is busy for the first request, as `status` says, and passes the second on to the service. */
async function busyAtFirst(status: number) {
  const times: number[] = [];
  const targets: string[] = [];
  const server = createServer((req, res) => {
    times.push(performance.now());
    targets.push(String(req.url));
    if (times.length === 1) {
      req.resume().on('end', () => res.writeHead(status, { 'Retry-After': RETRY_AFTER_S }).end('{}'));
      return;
    }
    const { method, url: path, headers } = req;
    const passed = request({ port: service.port, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  });
  return { server, port: await portOf(server), times, targets };
}

it('the client for many images of http-api.md waits after 503, and writes every image', async () => {
  const page = PROJECT.text('docs/http-api.md');
  const [, source = ''] = /## Many images[^]*?```js\n([^]*?)```/.exec(page) ?? [];
  const place = new Folder();
  const names = ['a.jpg', 'b.JPEG', 'c.jpg', 'd.jpg', 'e.jpg', 'f.jpg'];
  for (const name of names) place.put(name, SAMPLE);
  place.put('notes.txt', 'no image');
  const { server, port, times } = await busyAtFirst(503);
  place.put('client.mjs', source.replace('localhost:3000', `127.0.0.1:${port}`));
  const env = { ...process.env, KEY: service.apiKey };
  const child = spawn(process.execPath, ['client.mjs'], {
    cwd: place.folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['', '']);
  server.close();
  expect(times).toHaveLength(names.length + 1);
  expect(place.files()).toEqual(expect.arrayContaining(names.map((name) => `small-${name}`)));
});

it('there is one for each language', () => {
  const languages = samplesOf('post', '/api/v1/compress').map(({ lang }) => lang);
  expect(languages).toEqual(Object.keys(LANGUAGES));
});

describe.each(Object.entries(LANGUAGES))('%s', (language, { file, run, probe }) => {
  const [program, ...args] = probe;
  const isHere = isAvailable(spawnSync(program, args).status === 0, `${probe.join(' ')} (${language})`);
  const itRuns = isHere ? it : it.skip;

  /** @param words replaces words of the sample, such as the example of an address */
  async function runSample(
    [method, path]: readonly [Method, string],
    { place = new Folder(), port = service.port, words = {} } = {},
  ) {
    const { source } = samplesOf(method, path).find(({ lang }) => lang === language) ?? { source: '' };
    const all = { ...words, 'localhost:3000': `127.0.0.1:${port}`, YOUR_API_KEY: service.apiKey };
    const own = new Folder();
    const written = Object.entries(all).reduce((code, [from, to]) => code.replaceAll(from, to), source);
    own.put(file, written);
    const [command, ...rest] = [...run, own.path(file)];
    const child = spawn(command, rest, { cwd: place.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(Number(code))));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await exited, output: stdout + stderr, stdout };
  }

  async function runBusy(path: string, place: Folder, busyStatus: number) {
    const { server, port, times, targets } = await busyAtFirst(busyStatus);
    const { status, output } = await runSample(['post', path], { place, port });
    server.close();
    expect([status, output]).toEqual([0, expect.any(String)]);
    expect([...new Set(targets.map((target) => target.split('?')[0]))]).toEqual([path]);
    expect(times).toHaveLength(2);
    expect(times[1] - times[0]).toBeGreaterThan(RETRY_AFTER_S * 990);
    return output;
  }

  itRuns.each([429, 503])('waits after %i, and writes the image', async (status) => {
    const place = new Folder();
    place.put('photo.jpg', SAMPLE);
    await runBusy('/api/v1/compress', place, status);
    const { width, height } = decodeIndependently(place.read('smaller.jpg'));
    expect([width, height]).toEqual([1600, 1067]);
  });

  itRuns('shows what is wrong with the file, and leaves no image', async () => {
    const place = new Folder();
    place.put('photo.jpg', 'these are words');
    const { output } = await runSample(['post', '/api/v1/compress'], { place });
    expect(output).toContain('not a JPG or PNG');
    // curl writes the body of every response.
    expect(place.files().includes('smaller.jpg')).toBe(language === 'Shell');
  });

  itRuns('signs up, shows the account and its usage, and makes and revokes a key', async () => {
    const outputOf = async (method: Method, path: string, words = {}) => {
      const { status, output, stdout } = await runSample([method, path], { words });
      expect([path, status, output]).toEqual([path, 0, expect.any(String)]);
      return stdout;
    };
    const email = `${language.toLowerCase()}@example.com`;
    expect(await outputOf('post', '/api/v1/accounts', { 'you@example.com': email })).toContain('"apiKey"');
    expect(await outputOf('get', '/api/v1/account')).toContain('"email"');
    expect(await outputOf('get', '/api/v1/account/usage')).toContain('"usage"');
    const made = await outputOf('post', '/api/v1/account/keys');
    const { keyId } = JSON.parse(/\{.*\}/.exec(made)?.[0] ?? '') as { keyId: string };
    expect(await outputOf('delete', '/api/v1/account/keys/{id}', { KEY_ID: keyId })).toBe('');
    const listed = await outputOf('get', '/api/v1/account/keys');
    const { keys } = JSON.parse(listed) as { keys: { keyId: string; revokedAt: string | null }[] };
    expect(keys.find((key) => key.keyId === keyId)?.revokedAt).not.toBeNull();
  });
});
