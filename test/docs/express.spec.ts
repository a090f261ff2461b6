import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { project, sample } from '../library/installed-project';
import { PROJECT } from '../support/folders';
import { decodeIndependently, graphicPng } from '../support/images';
import { bytesOf, formWith } from '../support/service';
import { expectHead } from '../support/responses';

let server: ChildProcess;
let url: string;
beforeAll(async () => {
  const place = project();
  for (const name of ['express', 'multer'])
    symlinkSync(PROJECT.path(`node_modules/${name}`), place.path(`node_modules/${name}`));
  place.put('server.mjs', PROJECT.read('examples/express.mjs'));
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: place.folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = child;
  url = await firstLine(child.stdout);
});
afterAll(() => void server.kill('SIGKILL'));

async function firstLine(output: Readable) {
  for await (const line of createInterface({ input: output })) return line;
  throw new Error('The server has ended without a line.');
}

const send = (form: FormData) => fetch(url, { method: 'POST', body: form });

it('compresses an upload, and says what it saved', async () => {
  const response = await send(formWith(sample));
  expectHead(response, { status: 200, 'content-type': 'image/jpeg' });
  const result = await bytesOf(response);
  expect(result.length).toBeLessThan(sample.length);
  expect(decodeIndependently(result).width).toBe(1600);
  expectHead(response, {
    'x-original-size': String(sample.length),
    'x-compressed-size': String(result.length),
  });
  expect(Number(response.headers.get('x-ssim'))).toBeGreaterThan(0.98);
  expect(response.headers.has('x-skip-reason')).toBe(false);
});

it('names the format of the result, whatever the client says, and why a file came back unchanged', async () => {
  const first = await send(formWith(graphicPng(64, 64), 'image', 'a.jpg'));
  expectHead(first, { 'content-type': 'image/png' });
  const again = await send(formWith(await bytesOf(first)));
  expectHead(again, { 'x-skip-reason': 'already-optimised' });
  await again.arrayBuffer();
});

it.each([
  [415, 'unsupported_media_type', formWith(Buffer.from('no image'))],
  [422, 'undecodable_image', formWith(sample.subarray(0, 300))],
  [413, 'LIMIT_FILE_SIZE', formWith(new Uint8Array(10 * 1024 * 1024 + 1))],
  [400, 'LIMIT_UNEXPECTED_FILE', formWith(sample, 'photo')],
  [400, 'missing_image', new FormData()],
])('refuses with %d %s', async (status, code, form) => {
  const response = await send(form);
  expect([response.status, await response.json()]).toEqual([
    status,
    { code, message: expect.stringMatching(/./) as string },
  ]);
});

it('refuses a body that is not a form', async () => {
  const headers = { 'Content-Type': 'multipart/form-data' };
  const response = await fetch(url, { method: 'POST', headers, body: 'no form' });
  expect([response.status, await response.json()]).toEqual([
    400,
    { code: 'invalid_multipart', message: 'Multipart: Boundary not found' },
  ]);
});

it('stops in order', async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
