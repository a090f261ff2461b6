/**
 * The code samples of `POST /api/v1/compress` at /docs, run as their readers would: each waits as long as a busy service asks, tries
 * again, and writes the image.
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { decodeIndependently } from '../support/images';
import { startService, type Service } from '../support/service';
import { isAvailable } from '../support/services';

const SAMPLE = join(__dirname, '..', '..', 'examples', 'sample.jpg');
const RETRY_AFTER_S = 1;

/** By language: the file of the program, how to run it, and a command that succeeds if that is possible here. */
const LANGUAGES: Record<string, { file: string; run: string[]; probe: string[] }> = {
  Shell: { file: 'sample.sh', run: ['bash'], probe: ['curl', '--version'] },
  JavaScript: { file: 'sample.mjs', run: [process.execPath], probe: [process.execPath, '--version'] },
  Python: { file: 'sample.py', run: ['python3'], probe: ['python3', '-c', 'import requests'] },
  PHP: { file: 'sample.php', run: ['php'], probe: ['php', '-r', 'new CURLFile("a");'] },
  Go: { file: 'sample.go', run: ['go', 'run'], probe: ['go', 'version'] },
};

let service: Service;
let samples: { lang: string; source: string }[];
let apiKey: string;
beforeAll(async () => {
  service = await startService();
  ({ apiKey } = await service.signUp());
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
  samples = paths?.['/api/v1/compress'].post?.['x-codeSamples'] as typeof samples;
});
afterAll(() => service.stop());

/** Starts a server that is busy for the first request, as `status` says, and passes the second on to the service. */
async function busyAtFirst(status: number): Promise<{ server: Server; times: number[]; targets: string[] }> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, times, targets };
}

it('there is one for each of the five languages', () => {
  expect(samples.map(({ lang }) => lang)).toEqual(Object.keys(LANGUAGES));
});

describe.each(Object.entries(LANGUAGES))('%s', (language, { file, run, probe }) => {
  const [program, ...args] = probe;
  const isHere = isAvailable(spawnSync(program, args).status === 0, `${probe.join(' ')} (${language})`);
  const itRuns = isHere ? it : it.skip;

  async function runSample(folder: string, port: number): Promise<{ status: number; output: string }> {
    const { source = '' } = samples.find(({ lang }) => lang === language) ?? {};
    writeFileSync(
      join(folder, file),
      source.replaceAll('localhost:3000', `127.0.0.1:${port}`).replaceAll('YOUR_API_KEY', apiKey),
    );
    const [command, ...words] = [...run, file];
    const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(Number(code))));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await exited, output: stdout + stderr };
  }

  itRuns.each([429, 503])('waits after %i, and writes the image', async (status) => {
    const folder = mkdtempSync(join(tmpdir(), 'ics-samples-'));
    copyFileSync(SAMPLE, join(folder, 'photo.jpg'));
    const { server, times, targets } = await busyAtFirst(status);
    const result = await runSample(folder, (server.address() as AddressInfo).port);
    server.close();
    expect([result.status, result.output]).toEqual([0, expect.any(String)]);
    expect(targets).toEqual(Array(2).fill('/api/v1/compress?quality=medium'));
    expect(times[1] - times[0]).toBeGreaterThan(RETRY_AFTER_S * 990);
    const { width, height } = decodeIndependently(readFileSync(join(folder, 'smaller.jpg')));
    expect([width, height]).toEqual([1600, 1067]);
  });

  itRuns('shows what is wrong with the file, and leaves no image', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ics-samples-'));
    writeFileSync(join(folder, 'photo.jpg'), 'these are words');
    const { output } = await runSample(folder, service.port);
    expect(output).toContain('The file is neither a JPG nor a PNG');
    // curl writes the body of every response.
    expect(existsSync(join(folder, 'smaller.jpg'))).toBe(language === 'Shell');
  });
});
