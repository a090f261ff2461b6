/** Everything but images passes as it came, and nothing can be smuggled past the guard. */
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { until } from '../support/eventually';
import { peakMegabytes } from '../support/process-memory.cjs';
import { exchange, Guard, Upstream } from './guarded';

let upstream: Upstream;
let guard: Guard;

beforeAll(async () => {
  upstream = await Upstream.open();
  guard = await Guard.start(upstream.port, '--upstream-timeout', '2');
});
afterEach(() => {
  upstream.handler = undefined;
  upstream.arrived.length = 0;
});
afterAll(async () => {
  await guard.stop();
  upstream.close();
});

const isAnswered = (received: string) => /\r\n\r\nok$/.test(received);
const send = (text: string, isEnough = isAnswered) => exchange(guard.port, text, isEnough);
const HOST = 'Host: app.example';
const head = (status: string, ...lines: readonly string[]) =>
  [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
const GET = `GET / HTTP/1.1\r\n${HOST}\r\n\r\n`;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];
const WEBSOCKET = ['GET /socket HTTP/1.1', HOST, ...UPGRADE, '', ''].join('\r\n');
const SWITCHING = head('101 Switching Protocols', ...UPGRADE);

it('refuses its own address as the app', async () => {
  const closed = await Upstream.open();
  const { port } = closed;
  closed.close();
  const itself = Guard.before(`http://localhost:${port}`, '--listen', `0.0.0.0:${port}`);
  await expect(itself).rejects.toThrow('--to is the address of the guard itself');
});

describe('a request', () => {
  it('arrives with its target, its headers in their order and case, and its body', async () => {
    await send(
      `PATCH /a%2Fb//c?q=%zz HTTP/1.1\r\n${HOST}\r\nx-Twice: 1\r\nCookie: a=1\r\nX-Twice: 2\r\nContent-Length: 3\r\n\r\nabc`,
    );
    const { method, url, rawHeaders, body } = upstream.only();
    expect([method, url, body.toString()]).toEqual(['PATCH', '/a%2Fb//c?q=%zz', 'abc']);
    expect(rawHeaders.slice(0, -2).join(' ')).toBe(
      'Host app.example x-Twice 1 Cookie a=1 X-Twice 2 Content-Length 3 ' +
        'X-Forwarded-For 127.0.0.1 X-Forwarded-Proto http X-Forwarded-Host app.example',
    );
  });

  it('keeps its trailers, and stays chunked', async () => {
    await send(
      `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n`,
    );
    const { headers, rawTrailers, body } = upstream.only();
    expect([headers['transfer-encoding'], rawTrailers, body.toString()]).toEqual([
      'chunked',
      ['X-Sum', '7'],
      'abc',
    ]);
  });

  it('names no trailers where no chunks follow', async () => {
    await send(`GET / HTTP/1.1\r\n${HOST}\r\nTrailer: X-Sum\r\n\r\n`);
    expect(upstream.only().headers).not.toHaveProperty('trailer');
  });

  it('without a body has none upstream', async () => {
    await send(`POST / HTTP/1.1\r\n${HOST}\r\n\r\n`);
    expect(upstream.only().headers['content-length']).toBe('0');
  });

  it('of HTTP/1.0 without a host gets that of the app', async () => {
    await send('OPTIONS / HTTP/1.0\r\n\r\n');
    expect(upstream.only().headers.host).toBe(`127.0.0.1:${upstream.port}`);
  });

  it('cannot claim to come from another client', async () => {
    const forged =
      'X-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nX_Forwarded_For: 1.2.3.4\r\n';
    await send(`GET / HTTP/1.1\r\n${HOST}\r\n${forged}\r\n`);
    expect(JSON.stringify(upstream.only().rawHeaders)).not.toMatch(/1\.2\.3\.4|https/);
  });

  it('loses the headers of its connection, but not what identifies it', async () => {
    await send(
      `GET / HTTP/1.1\r\n${HOST}\r\nConnection: X-Mine, Host\r\nX-Mine: 1\r\nTE: gzip\r\nKeep-Alive: 9\r\n\r\n`,
    );
    const { headers } = upstream.only();
    expect(headers).toMatchObject({ host: 'app.example' });
    expect(Object.keys(headers).filter((name) => /mine|^te$|^keep/.test(name))).toEqual([]);
  });

  it('with Expect waits for the upstream', async () => {
    const head = `POST / HTTP/1.1\r\n${HOST}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`;
    const received = await send(head, (text) => text.includes('100 Continue'));
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
    upstream.handler = (_req, res) => res.writeHead(403).end('no');
    upstream.server.once('checkContinue', (req, res) => upstream.handler?.(req, res));
    expect(await send(head, (text) => text.endsWith('no'))).toMatch(/^HTTP\/1\.1 403/);
  });

  it('goes upstream after those that were sent before it on its connection', async () => {
    const image = `POST /1 HTTP/1.1\r\n${HOST}\r\nContent-Type: image/png\r\nContent-Length: 40\r\n\r\n${'x'.repeat(40)}`;
    const received = await send(
      `${image}GET /2 HTTP/1.1\r\n${HOST}\r\n\r\n`,
      (text) => (text.match(/ok/g) ?? []).length === 2,
    );
    expect(received).toMatch(/ok[^]*ok/);
    expect(upstream.arrived.map(({ url }) => url)).toEqual(['/1', '/2']);
  });

  it('of 2 GB streams in constant memory', async () => {
    let received = 0;
    upstream.handler = (req, res) => {
      req.on('data', ({ length }: Buffer) => (received += length));
      req.on('end', () => res.end('ok'));
    };
    const piece = new Uint8Array(1024 * 1024);
    const before = peakMegabytes(guard.pid) ?? 0;
    let left = 2_000;
    const body = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    });
    const { status } = await guard.fetch('/video', { method: 'PUT', body, duplex: 'half' });
    expect([status, received]).toEqual([200, 2_000 * piece.length]);
    expect((peakMegabytes(guard.pid) ?? 0) - before).toBeLessThan(100);
  });
});

describe('a response', () => {
  it('arrives with its status, headers, interim responses and trailers', async () => {
    upstream.handler = (_req, res) => {
      res.writeEarlyHints({ link: '</a.css>; rel=preload' });
      res.sendDate = false;
      res.writeHead(299, 'Odd', ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'Trailer', 'X-Sum']);
      res.write('part');
      res.addTrailers({ 'X-Sum': '7' });
      res.end();
    };
    const received = await send(GET, (text) => text.includes('X-Sum: 7'));
    expect(received).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload\r\n\r\nHTTP\/1\.1 299 Odd\r\n/,
    );
    expect(received).toMatch(
      /\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n[^]*\r\n4\r\npart\r\n0\r\nX-Sum: 7\r\n\r\n$/,
    );
  });

  it('names no trailers where none can follow', async () => {
    const chunked = head('200 OK', 'Trailer: X-Sum', 'Transfer-Encoding: chunked');
    const responses: Record<string, string> = {
      GET: `${head('200 OK', 'Trailer: X-Sum', 'Content-Length: 2')}ok`,
      HEAD: chunked,
      OPTIONS: `${chunked}2\r\nok\r\n0\r\n\r\n`,
    };
    upstream.handler = ({ method = '', socket }) => void socket.end(responses[method]);
    const received = [
      await send(GET),
      await send(`OPTIONS / HTTP/1.0\r\n${HOST}\r\n\r\n`),
      await send(`HEAD / HTTP/1.1\r\n${HOST}\r\n\r\n`, (text) => text.endsWith('\r\n\r\n')),
    ];
    for (const text of received) expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?![^]*Trailer)/);
  });

  it('of HEAD, 204 and 304 has no body', async () => {
    upstream.handler = (req, res) => {
      if (req.method === 'HEAD') return res.writeHead(200, { 'Content-Length': 999 }).end();
      return res.writeHead(req.url === '/304' ? 304 : 204, { ETag: '"1"' }).end();
    };
    const head = await guard.fetch('/', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '999']);
    for (const status of [204, 304]) expect((await guard.fetch(`/${status}`)).status).toBe(status);
  });

  it('that is a stream of events arrives event by event', async () => {
    let open: (text: string) => void = () => undefined;
    upstream.handler = (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      open = (text) => (text ? res.write(text) : res.end());
    };
    const reader = (await guard.open('/events')).body?.getReader();
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      open(text);
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(text);
    }
    open('');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('that comes before the end of the request passes at once', async () => {
    upstream.handler = (_req, res) => res.writeHead(413, { 'Content-Length': 5 }).end('large');
    const head = `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 90000000\r\n\r\n`;
    expect(await send(`${head}abc`, (text) => text.endsWith('large'))).toMatch(
      /^HTTP\/1\.1 413[^]*Connection: close/,
    );
    // The rest is read within bounds, and the connection ends.
    const received = await send(head + 'x'.repeat(20 * 1024 * 1024), () => false);
    expect(received).toMatch(/large$/);
  });

  it('that comes early ends at once, without its connection', async () => {
    upstream.handler = (_req, res) => res.writeHead(401).end('no');
    const socket = connect(guard.port, '127.0.0.1');
    const failed = jest.fn();
    socket.on('error', failed);
    const rest = 'x'.repeat(1024 * 1024);
    socket.write(`POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: ${1 + rest.length}\r\n\r\nx`);
    let received = '';
    socket.on('data', (piece: Buffer) => (received += piece.toString()));
    await until(() => received.endsWith('\r\n2\r\nno\r\n0\r\n\r\n'));
    socket.write(rest);
    await until(() => socket.closed);
    expect(failed).not.toHaveBeenCalled();
  });

  it('that breaks off breaks off here, too', async () => {
    upstream.handler = (_req, res) => {
      res.writeHead(200, { 'Content-Length': 100 }).write('part', () => res.destroy());
    };
    await expect(guard.fetch('/')).rejects.toThrow();
  });

  it.each([
    ['is no HTTP', 'nonsense'],
    ['ends before it begins', ''],
    ['has a status of no response', head('099 Low')],
    ['has a control character', head('200 O\x01K')],
    ['is an upgrade that nobody wants', SWITCHING],
    ['is interim and nothing else', head('101 Switching Protocols')],
  ])('that %s is 502', async (_case, answer) => {
    upstream.handler = ({ socket }) => (answer ? socket.end(answer) : socket.destroy());
    const response = await guard.post('/', 'text');
    expect([response.status, response.text]).toEqual([502, expect.stringMatching(/^The upstream /)]);
  });

  it('that never comes is 504', async () => {
    upstream.handler = () => undefined;
    const response = await guard.post('/', 'text');
    expect([response.status, response.text]).toEqual([504, expect.stringMatching(/^The upstream /)]);
  });

  it('is 504, too, if the upstream does not read the request', async () => {
    upstream.handler = ({ socket }) => void socket.pause();
    expect((await guard.post('/', Buffer.alloc(2 ** 25))).status).toBe(504);
  });

  it('comes from a new connection if an idle one is just closing', async () => {
    let isFirst = true;
    upstream.handler = (req, res) => {
      const { socket } = req;
      res.end('ok');
      // Ends when the second request is on its way, without a response.
      if (isFirst) socket.once('data', () => socket.destroy());
      isFirst = false;
    };
    for (let i = 0; i < 2; i++) expect((await guard.fetch('/')).status).toBe(200);
  });

  it('to an upload always comes from a new one: nobody may have to send it twice', async () => {
    const connections = new Set<Socket>();
    upstream.handler = (req, res) => {
      connections.add(req.socket);
      req.resume().once('end', () => res.end('ok'));
    };
    for (let i = 0; i < 2; i++) expect((await guard.post('/', 'text')).status).toBe(200);
    expect(connections.size).toBe(2);
  });
});

describe('an upgrade', () => {
  it('to WebSocket carries 200 messages', async () => {
    upstream.server.once('upgrade', (_req, socket) => {
      socket.write(SWITCHING);
      socket.on('data', (piece: Buffer) => socket.write(piece)).on('error', () => undefined);
    });
    const messages = Array.from({ length: 200 }, (_, i) => `message ${i};`).join('');
    expect(await send(WEBSOCKET + messages, (text) => text.endsWith('message 199;'))).toContain(messages);
  });

  it('waits for the response to the request before it on its connection', async () => {
    const order: string[] = [];
    upstream.handler = (_req, res) => setImmediate(() => order.push('response') && res.end('ok'));
    upstream.server.once('upgrade', (_req, socket) => {
      order.push('upgrade');
      socket.end(SWITCHING);
    });
    const received = await send(GET + WEBSOCKET, () => false);
    expect(received).toMatch(/^HTTP\/1\.1 200[^]*\r\n\r\nokHTTP\/1\.1 101 /);
    expect(order).toEqual(['response', 'upgrade']);
  });

  it('whose client leaves while it waits goes nowhere, and ends nothing', async () => {
    let respond: (() => void) | undefined;
    upstream.handler = (_req, res) => (respond = () => res.end('ok'));
    const onUpgrade = jest.fn();
    upstream.server.on('upgrade', onUpgrade);
    const client = connect(guard.port, '127.0.0.1');
    client.write(GET + WEBSOCKET);
    await until(() => respond !== undefined);
    client.resetAndDestroy();
    // The guard has seen it once it answers the next one.
    upstream.handler = undefined;
    expect((await guard.post('/', 'text')).status).toBe(200);
    respond?.();
    expect((await guard.post('/', 'text')).status).toBe(200);
    expect(onUpgrade).not.toHaveBeenCalled();
    upstream.server.off('upgrade', onUpgrade);
  });

  it('that the upstream refuses is answered with its response', async () => {
    upstream.server.once('upgrade', (_req, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'),
    );
    expect(await send(WEBSOCKET, () => false)).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*no$/);
  });

  it.each<[string, string, (socket: Duplex) => unknown]>([
    ['breaks off', 'no', (socket) => socket.destroy()],
    [
      'pauses for longer than the upstream may take',
      'noon',
      async (socket) => {
        upstream.handler = () => undefined;
        // Begun after the pause, so its time is over later.
        expect((await guard.post('/', 'text')).status).toBe(504);
        socket.end('on');
      },
    ],
  ])('whose refusal %s ends with it', async (_, body, go) => {
    upstream.server.once('upgrade', (_req, socket: Duplex) =>
      socket.write(`${head('403 Forbidden', 'Content-Length: 4')}no`, () => void go(socket)),
    );
    expect((await send(WEBSOCKET, () => false)).split('\r\n\r\n')[1]).toBe(body);
  });

  it('to HTTP/2 is stripped, and nothing follows on that connection', async () => {
    const head = `GET / HTTP/1.1\r\n${HOST}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n`;
    const received = await send(`${head}GET /smuggled HTTP/1.1\r\n${HOST}\r\n\r\n`, () => false);
    expect(received).toMatch(/^HTTP\/1\.1 200[^]*Connection: close/);
    const { headers } = upstream.only();
    expect(headers).not.toHaveProperty('upgrade');
    expect(headers).not.toHaveProperty('http2-settings');
  });
});

it.each([
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}\r\nHost: b\r\n\r\n`],
  [
    'HTTP/1.0 with a transfer coding',
    `POST / HTTP/1.0\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'another transfer coding',
    `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'a length beside chunks',
    `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  ],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
  ['a folded header', `GET / HTTP/1.1\r\n${HOST}\r\nX: 1\r\n 2\r\n\r\n`],
  ['a tunnel', `CONNECT b:443 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
])('%s: 400, and nothing goes upstream', async (_case, text) => {
  expect(await send(text, () => false)).toMatch(/^HTTP\/1\.1 400 /);
  expect(upstream.arrived).toEqual([]);
});

it('a target with another host goes to the same upstream', async () => {
  await send(`GET http://evil.example/p HTTP/1.1\r\n${HOST}\r\n\r\n`);
  expect(upstream.only().url).toBe('http://evil.example/p');
});

it('behind a trusted proxy, its headers stay and the chain grows', async () => {
  const trusting = await Guard.start(upstream.port, '--trust-proxy');
  const headers = { 'X-Forwarded-For': '1.2.3.4', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'b' };
  await trusting.fetch('/', { headers });
  expect(upstream.only().headers).toMatchObject({
    'x-forwarded-for': '1.2.3.4, 127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'b',
  });
  await trusting.stop();
});

it('an upstream that is away is 502', async () => {
  const away = await Guard.start(1);
  expect((await away.fetch('/')).status).toBe(502);
  await away.stop();
});

function isListening(port: number) {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

it('SIGTERM lets requests in progress end', async () => {
  const stopping = await Guard.start(upstream.port);
  let finish: (() => void) | undefined;
  upstream.handler = (_req, res) => (finish = () => res.end('late'));
  const response = stopping.fetch('/');
  await until(() => finish !== undefined);
  stopping.signal('SIGTERM');
  finish?.();
  expect([(await response).text, await stopping.exited]).toEqual(['late', 0]);
});

it('SIGTERM refuses a WebSocket that waits for a response, which would go on for ever', async () => {
  const stopping = await Guard.start(upstream.port);
  let finish: (() => void) | undefined;
  upstream.handler = (_req, res) => (finish = () => res.end('late'));
  upstream.server.once('upgrade', (_req, socket) => {
    socket.write(SWITCHING);
  });
  const received = exchange(stopping.port, GET + WEBSOCKET, () => false);
  await until(() => finish !== undefined);
  stopping.signal('SIGTERM');
  await until(async () => !(await isListening(stopping.port)));
  finish?.();
  expect(await stopping.exited).toBe(0);
  expect(await received).toMatch(/^HTTP\/1\.1 200[^]*\r\n\r\nlateHTTP\/1\.1 503 /);
  upstream.server.removeAllListeners('upgrade');
});
