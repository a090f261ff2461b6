/** The commands that a newcomer pastes, of the README and of the start: they work, and say what is wrong. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { readSettings } from '../../src/settings/settings';
import { welcome } from '../../src/welcome';
import { decodeIndependently } from '../support/images';
import { startService, type Service } from '../support/service';
import { isAvailable } from '../support/services';

const ROOT = join(__dirname, '..', '..');
/** Nothing listens here: the port is reserved. */
const CLOSED_PORT = 1;

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
});
afterAll(() => service.stop());

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const printed = welcome(3000, readSettings({})).replace(/^ {2}/gm, '');
const signUp = /^KEY=[\s\S]*?^$/m;
const compress = /^curl .*smaller\.jpg$/m;

function found(text: string, pattern: RegExp): string {
  const [command] = pattern.exec(text) ?? [];
  if (command === undefined) throw new Error(`There is no ${String(pattern)}`);
  return command.trim();
}

/** A folder like a checkout, as far as the commands use it. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ics-first-'));
  mkdirSync(join(folder, 'examples'));
  copyFileSync(join(ROOT, 'examples', 'sample.jpg'), join(folder, 'examples', 'sample.jpg'));
  return folder;
}

function paste(folder: string, command: string, port = service.port) {
  const script = command.replaceAll('localhost:3000', `127.0.0.1:${port}`);
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  return { stdout, stderr };
}

it('the README has the commands that the service prints', () => {
  expect(found(printed, signUp)).toBe(found(readme, signUp));
  expect(found(printed, compress)).toBe(found(readme, compress));
});

const key = found(readme, signUp);
const image = found(readme, compress);

it('they make a key, show it, and compress the sample', () => {
  const folder = checkout();
  const { stdout, stderr } = paste(folder, `${key}\n${image}`);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^ics_\w+\nHTTP\/1\.1 200 OK\r\n[\s\S]*X-Bytes-Saved: \d+\r\n[\s\S]*\r\n$/);
  const result = readFileSync(join(folder, 'smaller.jpg'));
  expect(decodeIndependently(result).width).toBe(1600);
});

it('they say so when the service is down, and leave an earlier result alone', () => {
  const folder = checkout();
  writeFileSync(join(folder, 'smaller.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0]));
  const signedUp = paste(folder, key, CLOSED_PORT);
  expect(signedUp.stderr).toMatch(/^curl: \(7\) .*connect/);
  expect(signedUp.stdout).toBe('\n');
  const sent = paste(folder, image, CLOSED_PORT);
  expect(sent.stderr).toMatch(/^curl: \(7\) .*connect/);
  expect(sent.stdout).toBe('');
  expect(readFileSync(join(folder, 'smaller.jpg'))).toHaveLength(4);
});

it('the first says that the account exists, instead of a key that is none', () => {
  const again = key.replace('me+$(date +%s)', 'twice');
  const folder = checkout();
  expect(paste(folder, again).stdout).toMatch(/^ics_/);
  expect(paste(folder, again)).toEqual({
    stdout: '\n',
    stderr: expect.stringMatching(/^curl: \(22\) .*409/) as string,
  });
});

it('the second shows what is wrong with the key or the file', () => {
  const folder = checkout();
  const wrongKey = paste(folder, `KEY=wrong\n${image}`);
  expect(wrongKey.stderr).toMatch(/^curl: \(22\) .*401/);
  expect(wrongKey.stdout).toMatch(/^HTTP\/1\.1 401 [\s\S]*"detail":"The API key is malformed;/);
  writeFileSync(join(folder, 'examples', 'sample.jpg'), 'these are words');
  const words = paste(folder, `${key.replace('me+', 'words+')}\n${image}`);
  expect(words.stdout).toMatch(/HTTP\/1\.1 415 [\s\S]*"detail":"The file is neither a JPG nor a PNG/);
});

describe('the samples of POST /api/v1/compress at /docs', () => {
  async function sample(language: string): Promise<string> {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
    const samples = paths?.['/api/v1/compress'].post?.['x-codeSamples'] as { lang: string; source: string }[];
    const { apiKey } = await service.signUp();
    const { source } = samples.find(({ lang }) => lang === language) ?? samples[0];
    return source.replace('YOUR_API_KEY', apiKey).replace('photo.jpg', 'examples/sample.jpg');
  }

  it('curl compresses an image', async () => {
    const folder = checkout();
    const { stdout, stderr } = paste(folder, await sample('Shell'));
    expect([stdout.slice(0, 12), stderr]).toEqual(['HTTP/1.1 200', '']);
    expect(existsSync(join(folder, 'smaller.jpg'))).toBe(true);
  });

  const python3 = spawnSync('python3', ['-c', 'import requests']);
  const hasRequests = isAvailable(python3.status === 0, 'requests of Python');
  (hasRequests ? it : it.skip)('Python compresses an image, or shows the detail', async () => {
    const python = (await sample('Python')).replaceAll('localhost:3000', `127.0.0.1:${service.port}`);
    expect(python.split('\n').length).toBeLessThan(25);
    const folder = checkout();
    const run = () => spawnSync('python3', ['-c', python], { cwd: folder, encoding: 'utf8' });
    expect(run().stdout).toMatch(/^\d+ bytes saved\n$/);
    writeFileSync(join(folder, 'examples', 'sample.jpg'), 'these are words');
    const { status, stderr } = run();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The file is neither a JPG nor a PNG/)]);
  });
});
