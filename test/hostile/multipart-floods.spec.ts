/** Danger: bodies that cost the parser far more than their bytes. */
import { graphicPng } from '../support/images';
import { processorSeconds } from '../support/processor-time';
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
/** Enough for more parts than a form may have. */
const PIECE_BYTES = 64 * 1024;
let service: Service;
let apiKey: string;
beforeAll(async () => {
  service = await startService();
  ({ apiKey } = await service.signUp());
});
afterAll(() => service.stop());

/** Sends the beginning of a body, and the rest after the response. Returns the status and what all of it cost the service. */
async function refused(key: string, body: Buffer) {
  const client = new RawClient(service.port, { allowHalfOpen: true });
  const before = processorSeconds(service.process.pid!);
  client.write(requestHead(key, { 'Content-Length': body.length }).replace(BOUNDARY, 'a'));
  client.write(body.subarray(0, PIECE_BYTES));
  const { status } = await client.answer();
  await client.sendUntilClosed(body.subarray(PIECE_BYTES));
  client.close();
  await client.closed;
  return { status, seconds: processorSeconds(service.process.pid!) - before };
}

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux.each([
  ['boundaries without end', '\r\n--a'],
  ['empty parts', '\r\n--a\r\n\r\n'],
  ['parts with a head', '\r\n--a\r\nX: y\r\n\r\n'],
])('%s: refused at the first part too many', async (_, part) => {
  const body = Buffer.alloc(19 * MEBIBYTE, part);
  const unparsed = await refused('ics_wrong', body);
  expect(unparsed.status).toBe(401);
  const parsed = await refused(apiKey, body);
  expect(parsed.status).toBe(400);
  // Of the rest nothing is parsed: it costs what a body costs that nobody reads.
  expect(parsed.seconds).toBeLessThan(4 * unparsed.seconds + 0.3);
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
    const sent = client.sendUntilClosed(chunks);
    const response = await client.answer(30_000);
    expect([response.status, response.headers['connection']]).toEqual([status, 'close']);
    if (status === 400) expect(response.body).toContain('chunks of a few bytes');
    await client.closed;
    expect(await sent).toBeLessThan(IN_KERNEL);
  });
});
