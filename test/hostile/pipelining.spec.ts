/** Danger: pipelined requests whose responses are not read, and garbage after a request in progress. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { processorSeconds } from '../support/processor-time';
import { peakMegabytesOf } from '../support/cost';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { expectHead } from '../support/responses';
import { formBody, formEnd, ownServiceWithKey, RawClient, requestHead } from '../support/service';

const ADAPTER = join(__dirname, '..', '..', 'dist', 'http', 'server.js');
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
const GARBAGE = Buffer.alloc(64 * 1024, '\u0001garbage\r\n\r\n');

const service = ownServiceWithKey();

it('starts one pipelined request in each turn of the event loop, however many connections have some', () => {
  // Jest cannot load Express.
  const code = `const { LimitedExpressAdapter } = require(process.argv[1]);
    const adapter = new LimitedExpressAdapter();
    adapter.initHttpServer();
    const inTurn = [];
    let [turn, left] = [0, 20 * 15];
    const nextTurn = () => (turn++, setImmediate(nextTurn));
    nextTurn();
    adapter.getInstance().use((req, res) => {
      if (req.path === '/later') {
        inTurn[turn] = (inTurn[turn] ?? 0) + 1;
        left--;
      }
      res.end();
      if (left === 0) process.stdout.write(String(Math.max(...inTurn.filter(Boolean))), () => process.exit());
    });
    const server = adapter.getHttpServer().listen(0, '127.0.0.1', () => {
      const request = (path) => 'GET ' + path + ' HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n';
      for (let i = 0; i < 20; i++)
        require('node:net')
          .connect(server.address().port, '127.0.0.1')
          .resume()
          .write(request('/first') + request('/later').repeat(15));
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code, ADAPTER], { encoding: 'utf8' });
  expect(stderr).toBe('');
  // Two where the count changes between them; 20 if each connection started one.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThanOrEqual(2);
});

it('sends a compressed sample of the page at the cost of a file: it is hashed once', async () => {
  const path = await samplePath(service.url);
  const secondsFor = async (path: string) => {
    const before = processorSeconds(service.process.pid ?? 0);
    const client = new RawClient(service.port);
    for (let sent = 15; sent <= 1_500; sent += 15) {
      client.write(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(15));
      while (client.statuses.length < sent) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    client.close();
    return processorSeconds(service.process.pid ?? 0) - before;
  };
  const url = `${service.url}${path}`;
  const compressed = await fetch(`${url}/compressed`);
  const { byteLength } = await compressed.arrayBuffer();
  expectHead(compressed, {
    status: 200,
    'cache-control': 'no-cache',
    'x-compressed-size': String(byteLength),
  });
  await secondsFor(path);
  const ofFile = await secondsFor(path);
  // Hashed each time, it costs several times as much.
  expect(await secondsFor(`${path}/compressed`)).toBeLessThan(2 * ofFile);
});

/** The largest picture that the page's script names. */
async function samplePath(url: string) {
  const script = /\/assets\/[^"]+\.js/.exec(await (await fetch(url)).text())?.[0];
  const code = await (await fetch(`${url}${script}`)).text();
  return `/assets/${/still-life-(?!small)[\w-]{8}\.jpg/.exec(code)?.[0]}`;
}

const posted = (form: Buffer, headers: Record<string, string> = {}) =>
  Buffer.concat([
    Buffer.from(requestHead(service.apiKey, { 'Content-Length': form.length, ...headers })),
    form,
  ]);

/** The start of a request for the script of the page that shows the API. */
async function scriptRequest() {
  const page = await (await fetch(`${service.url}/docs`)).text();
  return `GET ${/\/docs\/assets\/[^"]+\.js/.exec(page)?.[0]} HTTP/1.1\r\nHost: localhost\r\n`;
}

it('holds a static body once in memory, regardless of the number of unread responses', async () => {
  const script = await scriptRequest();
  const packed = `${script}Accept-Encoding: gzip\r\n\r\n`;
  const before = peakMegabytesOf(service);
  const clients = Array.from({ length: 8 }, () => new RawClient(service.port));
  for (const client of clients) client.write(packed.repeat(1_600));
  // Within the limit, so these connections stay open with unread responses.
  const patient = Array.from({ length: 40 }, () => new RawClient(service.port));
  for (const [i, client] of patient.entries()) {
    client.socket.pause();
    client.write((i % 2 ? packed : `${script}\r\n`).repeat(16));
  }
  await Promise.all(clients.map(({ closed }) => closed));
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  // Kernel buffers are not counted; 640 copies of the script would be 0.6 GB: half of them packed, 0.4 MB, half of them not, 1.5 MB.
  expect(peakMegabytesOf(service) - before).toBeLessThan(105);
  for (const client of patient) client.close();
});

it('handles the requests of a connection one after the other, so that an unread response holds up the next', async () => {
  const script = `${await scriptRequest()}\r\n`;
  const untilInFlight = (count: number) => service.untilMetric('requests_in_flight', count);
  await untilInFlight(0);
  const client = new RawClient(service.port);
  client.socket.pause();
  client.write(script.repeat(16));
  await untilInFlight(1);
  client.socket.resume();
  client.write(LIVE);
  await untilInFlight(0);
  client.close();
});

it('closes a connection with seventeen requests without a response, and not one with sixteen', async () => {
  const post = posted(formBody(await photoJpeg(1200, 900)));
  // The image is in progress when the others arrive, and their responses wait for its response.
  const send = (others: number) => {
    const client = new RawClient(service.port);
    client.write(Buffer.concat([post, Buffer.from(LIVE.repeat(others))]));
    return client;
  };
  const client = send(15);
  await eventually(() => expect(client.statuses).toHaveLength(16));
  client.close();
  const greedy = send(16);
  await greedy.closed;
  expect(greedy.statuses).toEqual([]);
});

it('reads nothing more after garbage behind a request in progress, and still responds to that request', async () => {
  const post = posted(formBody(await photoJpeg(2400, 1800)));
  const client = new RawClient(service.port);
  client.write(post);
  const flood = setInterval(() => {
    if (client.text === '' && client.socket.writableLength < 1e6) client.socket.write(GARBAGE);
  }, 1);
  await client.closed;
  clearInterval(flood);
  expect(client.statuses).toEqual([200]);
  // The size of the kernel buffers on both sides; 30 MB and more when it is read.
  expect(client.socket.bytesWritten - client.socket.writableLength).toBeLessThan(post.length + 12e6);
});

it('sends every response that is due before it closes for garbage', async () => {
  const post = posted(formBody(await photoJpeg(600, 400)));
  const client = new RawClient(service.port);
  client.write(Buffer.concat([Buffer.from(LIVE), post, Buffer.from(LIVE)]));
  await eventually(() => expect(client.text).toContain('200'));
  client.write(GARBAGE);
  await client.closed;
  expect(client.statuses.slice(0, 3)).toEqual([200, 200, 200]);
  // On a fast machine the garbage arrives after the last response, and is responded to.
  expect(['', '400']).toContain(client.statuses.slice(3).join());
});

it('keeps responses apart when an upload behind another request expects 100 Continue', async () => {
  const first = posted(formBody(await photoJpeg(600, 400)));
  const second = posted(Buffer.from(formEnd), { Expect: '100-continue' });
  const client = new RawClient(service.port);
  client.write(Buffer.concat([first, second]));
  await client.closed;
  const responses = client.text.split('HTTP/1.1 ').slice(1);
  const bodyOf = (response: string) => response.slice(response.indexOf('\r\n\r\n') + 4);
  const lengthOf = (response: string) => Number(/content-length: (\d+)/i.exec(response)?.[1] ?? 0);
  expect(client.statuses).toEqual([200, 100, 400]);
  expect(responses.map((response) => bodyOf(response).length)).toEqual(responses.map(lengthOf));
});
