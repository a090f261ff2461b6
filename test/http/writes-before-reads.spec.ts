/** Clients that write the whole body before they read get the response, not a broken pipe. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Folder } from '../support/folders';
import { graphicPng } from '../support/images';
import { BOUNDARY, formBody, formEnd, partHead, RawClient, requestHead } from '../support/service';
import { hasPrograms, isAvailable } from '../support/services';
import { sharedClientWithKey } from '../support/shared-service';

const MB = 1_000_000;
const run = promisify(execFile);
const service = sharedClientWithKey();
const place = new Folder();
beforeAll(() => {
  for (const size of [25, 5]) {
    const image = Buffer.concat([graphicPng(16, 16), Buffer.alloc(size * MB)]);
    place.put(`${size}.png`, image);
    place.put(`${size}.body`, formBody(image));
  }
});

/** Clients that print the status: Python's `http.client`, `urllib` and `requests`, and curl. */
const PYTHON = {
  'http.client': `
import http.client, sys
c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=60)
c.request('POST', '/api/v1/compress', open(sys.argv[3] + '.body', 'rb').read(),
          {'X-API-Key': sys.argv[2], 'Content-Type': 'multipart/form-data; boundary=${BOUNDARY}'})
r = c.getresponse(); r.read(); print(r.status)`,
  urllib: `
import sys, urllib.request, urllib.error
q = urllib.request.Request('http://127.0.0.1:' + sys.argv[1] + '/api/v1/compress', open(sys.argv[3] + '.body', 'rb').read(),
    {'X-API-Key': sys.argv[2], 'Content-Type': 'multipart/form-data; boundary=${BOUNDARY}'})
try: print(urllib.request.urlopen(q, timeout=60).status)
except urllib.error.HTTPError as e: e.read(); print(e.code)`,
  requests: `
import sys, requests
r = requests.post('http://127.0.0.1:' + sys.argv[1] + '/api/v1/compress', headers={'X-API-Key': sys.argv[2]},
    files={'image': open(sys.argv[3] + '.png', 'rb')}, timeout=60)
print(r.status_code)`,
};

async function curl(key: string, file: string) {
  const options = `-sS -o ${place.path('out')} -w %{http_code} --max-time 60`.split(' ');
  // Without the `Expect: 100-continue` that curl sends before large bodies.
  const headers = ['-H', `X-API-Key: ${key}`, '-H', 'Expect:'];
  const args = [...options, ...headers, '-F', `image=@${file}.png`, `${service.url}/api/v1/compress`];
  const { stdout } = await run('curl', args);
  return stdout.trim();
}

const hasPython = (module: string) =>
  isAvailable(spawnSync('python3', ['-c', `import ${module}`]).status === 0, `${module} of Python`);
const cases = [
  ['too large', 25, () => service.apiKey, '413'],
  ['a wrong key', 5, () => 'ics_wrong', '401'],
] as const;

describe.each(Object.entries(PYTHON))('%s', (module, program) => {
  const test = hasPython(module) ? it : it.skip;
  test.each(cases)('%s, %i MB', async (_, size, key, status) => {
    for (let i = 0; i < 3; i++) {
      const args = ['-c', program, String(service.port), key(), place.path(String(size))];
      expect((await run('python3', args)).stdout.trim()).toBe(status);
    }
  });
});

(hasPrograms('curl') ? it : it.skip).each(cases)('curl: %s, %i MB', async (_, size, key, status) => {
  for (let i = 0; i < 3; i++) expect(await curl(key(), place.path(String(size)))).toBe(status);
});

it.each(cases)('fetch of Node: %s, %i MB', async (_, size, key, status) => {
  for (let i = 0; i < 3; i++) {
    const response = await service.compress(place.read(`${size}.png`), key());
    expect(String(response.status)).toBe(status);
    await response.arrayBuffer();
  }
});

it('a refused client that has pipelined further requests gets the response, and nothing is done for the others', async () => {
  const body = `${partHead()}${'x'.repeat(100_000)}${formEnd}`;
  const refused = `${requestHead('ics_wrong', { 'Content-Length': body.length })}${body}`;
  const client = new RawClient(service.port, { allowHalfOpen: true });
  const failures: Error[] = [];
  client.socket.on('error', (error) => failures.push(error));
  const ended = once(client.socket, 'end');
  client.write(refused);
  await ended;
  for (let i = 0; i < 20; i++) {
    client.write('DELETE /api/v1/account/keys/1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    // A turn of the service, which reads the request in it.
    await fetch(`${service.url}/health/live`);
  }
  // A reset would have been reported here.
  expect(failures).toEqual([]);
  expect(client.statuses).toEqual([401]);
  client.socket.end();
  await client.closed;
});
