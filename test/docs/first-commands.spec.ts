/** The commands that a newcomer pastes, of the README and of the start: they work, and say what is wrong. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { readSettings } from '../../src/settings/settings';
import { welcome } from '../../src/welcome';
import { decodeIndependently } from '../support/images';
import { startService, type Service } from '../support/service';
import { isAvailable } from '../support/services';

const ROOT = join(__dirname, '..', '..');

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
});
afterAll(() => service.stop());

/** As in the README and in the output of a start. */
const COMPRESS = /^ *(curl .*smaller\.jpg)$/m;

function commandIn(text: string): string {
  const found = COMPRESS.exec(text);
  if (!found) throw new Error(`There is no ${String(COMPRESS)} in ${text}`);
  return found[1];
}

/** A folder with a photo. */
function folderWithPhoto(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ics-first-'));
  copyFileSync(join(ROOT, 'examples', 'sample.jpg'), join(folder, 'photo.jpg'));
  return folder;
}

function paste(folder: string, command: string, port = service.port) {
  const script = command.replaceAll('localhost:3000', `127.0.0.1:${port}`);
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  return { stdout, stderr };
}

const command = commandIn(readFileSync(join(ROOT, 'README.md'), 'utf8'));

it('the README has the command that the service prints', () => {
  expect(commandIn(welcome(3000, readSettings({})))).toBe(command);
  expect(commandIn(welcome(3000, readSettings({}), 'ics_key'))).toBe(command);
});

it.each(['open', 'closed'])('the service prints how to get a key with SIGNUP=%s', async (SIGNUP) => {
  const folder = folderWithPhoto();
  const DATABASE_URL = `sqlite:${join(folder, 'service.db')}`;
  const printed = welcome(3000, readSettings({ DATABASE_URL, SIGNUP }));
  const [, getKey] = /^ {2}(.*you@example\.com.*)$/m.exec(printed) ?? [];
  const { stdout } = paste(ROOT, getKey);
  const [apiKey] = /ics_\w+/.exec(stdout) ?? [];
  const used = SIGNUP === 'open' ? service : await startService({ DATABASE_URL, SIGNUP });
  paste(folder, `KEY=${apiKey}\n${command}`, used.port);
  expect(decodeIndependently(readFileSync(join(folder, 'smaller.jpg'))).width).toBe(1600);
  if (used !== service) await used.stop();
});

it('the command leaves the reason in the file if the service refuses', () => {
  const folder = folderWithPhoto();
  paste(folder, `KEY=wrong\n${command}`);
  expect(readFileSync(join(folder, 'smaller.jpg'), 'utf8')).toContain('"detail":"The API key is malformed;');
});

describe('the samples of POST /api/v1/compress at /docs', () => {
  async function sample(language: string): Promise<string> {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
    const samples = paths?.['/api/v1/compress'].post?.['x-codeSamples'] as { lang: string; source: string }[];
    const { apiKey } = await service.signUp();
    const { source } = samples.find(({ lang }) => lang === language) ?? samples[0];
    return source.replace('YOUR_API_KEY', apiKey);
  }

  it('curl compresses an image', async () => {
    const folder = folderWithPhoto();
    const { stdout, stderr } = paste(folder, await sample('Shell'));
    expect([stdout.slice(0, 12), stderr]).toEqual(['HTTP/1.1 200', '']);
    expect(existsSync(join(folder, 'smaller.jpg'))).toBe(true);
  });

  const python3 = spawnSync('python3', ['-c', 'import requests']);
  const hasRequests = isAvailable(python3.status === 0, 'requests of Python');
  (hasRequests ? it : it.skip)('Python compresses an image, or shows the detail', async () => {
    const python = (await sample('Python')).replaceAll('localhost:3000', `127.0.0.1:${service.port}`);
    expect(python.split('\n').length).toBeLessThan(25);
    const folder = folderWithPhoto();
    const run = () => spawnSync('python3', ['-c', python], { cwd: folder, encoding: 'utf8' });
    expect(run().stdout).toMatch(/^\d+ bytes saved\n$/);
    writeFileSync(join(folder, 'photo.jpg'), 'these are words');
    const { status, stderr } = run();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The file is neither a JPG nor a PNG/)]);
  });
});
