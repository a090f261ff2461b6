/** Danger: bodies that cost the parser far more than their bytes. */
import { readFileSync } from 'node:fs';
import { graphicPng } from '../support/images';
import {
  BOUNDARY,
  formEnd,
  partHead,
  RawClient,
  requestHead,
  startService,
  type Service,
} from '../support/service';

const MEBIBYTE = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Ticks of the kernel's clock, the unit of processor time in /proc. */
const TICKS_PER_SECOND = 100;
let service: Service;
let apiKey: string;
beforeAll(async () => {
  service = await startService();
  ({ apiKey } = await service.signUp());
});
afterAll(() => service.stop());

/** Processor time of the service in seconds. */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${service.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux.each([
  ['boundaries without end', '\r\n--a'],
  ['empty parts', '\r\n--a\r\n\r\n'],
  ['parts with a head', '\r\n--a\r\nX: y\r\n\r\n'],
])('%s: refused at the first part too many', async (_, part) => {
  const body = Buffer.alloc(19 * MEBIBYTE, part);
  const client = new RawClient(service.port);
  const before = cpuSeconds();
  client.write(requestHead(apiKey, { 'Content-Length': body.length }).replace(BOUNDARY, 'a'));
  client.write(body);
  const response = await client.answer();
  client.close();
  expect(response.status).toBe(400);
  expect(cpuSeconds() - before).toBeLessThan(1.5);
});

/** The body in chunks of this many bytes. */
function inChunks(body: Buffer, size: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

it('chunks of 64 bytes are joined before they are parsed', async () => {
  const file = Buffer.concat([graphicPng(16, 16), Buffer.alloc(MEBIBYTE)]);
  const form = Buffer.concat([Buffer.from(partHead()), file, Buffer.from(formEnd)]);
  const client = new RawClient(service.port);
  client.write(requestHead(apiKey, { 'Transfer-Encoding': 'chunked' }));
  client.write(inChunks(form, 64));
  const response = await client.answer();
  expect([response.status, response.headers['x-original-size']]).toEqual([200, String(file.length)]);
  client.close();
});

describe('chunks of one byte', () => {
  const form = Buffer.concat([Buffer.from(partHead()), graphicPng(16, 16), Buffer.alloc(8 * MEBIBYTE)]);
  const chunks = inChunks(form, 1);
  /** What the sockets of both sides hold. */
  const IN_KERNEL = 12 * MEBIBYTE;
  const GET = 'HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

  it.each([
    ['an upload', () => requestHead(apiKey, { 'Transfer-Encoding': 'chunked' }), 400],
    ['an upload with a wrong key', () => requestHead('ics_wrong', { 'Transfer-Encoding': 'chunked' }), 401],
    ['a body that nobody reads', () => `GET /health/live ${GET}`, 200],
    ['a body that nobody reads, and no such route', () => `GET /nothing ${GET}`, 404],
  ])('%s: the service responds early, and reads no more', async (_, head, status) => {
    const client = new RawClient(service.port);
    client.write(head());
    const sent = sentOf(client, chunks);
    const response = await client.answer(30_000);
    expect([response.status, response.headers['connection']]).toEqual([status, 'close']);
    if (status === 400) expect(response.body).toContain('chunks of a few bytes');
    await client.closed;
    expect(await sent).toBeLessThan(IN_KERNEL);
  });
});

/** Sends the bytes until the service closes the connection. Returns how many it took. */
async function sentOf({ socket }: RawClient, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (await new Promise((resolve) => socket.write(piece, resolve))) return at;
  }
  return bytes.length;
}
