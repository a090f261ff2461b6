/** Danger: bodies that cost the parser far more than their bytes. */
import { PARAMETER_NAMES } from '../../src/compression/http/compress-options';
import { Busboy } from '@fastify/busboy';
import { graphicPng } from '../support/images';
import { onLinux } from '../support/on-linux';
import { expectProblem, expectStatus } from '../support/responses';
import { processorSeconds } from '../support/processor-time';
import type { RawAnswer } from '../support/raw-client';
import { BOUNDARY, formBody, ownServiceWithKey, partHead, RawClient, requestHead } from '../support/service';

const MEBIBYTE = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const service = ownServiceWithKey();

/** Sends the beginning of a body, and the rest after the response. Returns the status and what all of it cost the service. */
async function refused(body: Buffer) {
  const client = new RawClient(service.port, { allowHalfOpen: true });
  const before = processorSeconds(service.process.pid!);
  client.write(requestHead(service.apiKey, { 'Content-Length': body.length }).replace(BOUNDARY, 'a'));
  client.write(body.subarray(0, PIECE_BYTES));
  const { status } = await client.answer();
  await client.sendUntilClosed(body.subarray(PIECE_BYTES));
  client.close();
  await client.closed;
  return { status, seconds: processorSeconds(service.process.pid!) - before };
}

/** Processor time, in seconds, that the service's parser takes here for a body without a limit of parts. */
function parsing(body: Buffer) {
  const parser = new Busboy({ headers: { 'content-type': 'multipart/form-data; boundary=a' } });
  parser.on('error', () => undefined);
  const before = process.cpuUsage();
  for (let at = 0; at < body.length; at += PIECE_BYTES) parser.write(body.subarray(at, at + PIECE_BYTES));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

it('takes two parts that are no fields besides the file and the options, and refuses a third', async () => {
  const send = (others: number) => {
    const start = `--${BOUNDARY}\r\nX-No: field\r\n\r\nwords\r\n`.repeat(others) + partHead();
    const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
    const body = formBody(graphicPng(16, 16), start);
    return service.api('compress', { apiKey: service.apiKey, headers, body });
  };
  await expectStatus(send(PARAMETER_NAMES.length + 2), 200);
  await expectProblem(send(PARAMETER_NAMES.length + 3), 400, 'invalid_multipart', 'too many parts');
});

onLinux('refuses a form at the first part too many, and parses nothing of the rest', async () => {
  const [size, sample] = [19 * MEBIBYTE, MEBIBYTE];
  let [spent, inFull] = [0, 0];
  // Boundaries without end, empty parts, parts with a head.
  for (const part of ['\r\n--a', '\r\n--a\r\n\r\n', '\r\n--a\r\nX: y\r\n\r\n']) {
    const { status, seconds } = await refused(Buffer.alloc(size, part));
    expect(status).toBe(400);
    spent += seconds;
    inFull += parsing(Buffer.alloc(sample, part)) * (size / sample);
  }
  expect(spent).toBeLessThan(inFull / 4);
});

function inChunks(body: Buffer, size: number): Buffer {
  const heads = `${size.toString(16)}\r\n`.length + 2;
  const chunked = Buffer.alloc(body.length + Math.ceil(body.length / size) * heads + 5);
  let end = 0;
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    end += chunked.write(`${chunk.length.toString(16)}\r\n`, end, 'latin1');
    end += chunk.copy(chunked, end);
    end += chunked.write('\r\n', end, 'latin1');
  }
  end += chunked.write('0\r\n\r\n', end, 'latin1');
  return chunked.subarray(0, end);
}

it('chunks of 64 bytes are joined before they are parsed', async () => {
  const file = Buffer.concat([graphicPng(16, 16), Buffer.alloc(MEBIBYTE)]);
  const form = formBody(file);
  const client = new RawClient(service.port);
  client.write(requestHead(service.apiKey, { 'Transfer-Encoding': 'chunked' }));
  client.write(inChunks(form, 64));
  const response = await client.answer();
  expect([response.status, response.headers['x-original-size']]).toEqual([200, String(file.length)]);
  client.close();
});

describe('chunks of one byte', () => {
  const form = Buffer.concat([Buffer.from(partHead()), graphicPng(16, 16), Buffer.alloc(8 * MEBIBYTE)]);
  const chunks = inChunks(form, 1);
  const IN_KERNEL = 12 * MEBIBYTE;
  const GET = 'HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

  const FLOODS: readonly (readonly [string, () => string, number])[] = [
    ['an upload', () => requestHead(service.apiKey, { 'Transfer-Encoding': 'chunked' }), 400],
    ['an upload with a wrong key', () => requestHead('ics_wrong', { 'Transfer-Encoding': 'chunked' }), 401],
    ['a body that nobody reads', () => `GET /health/live ${GET}`, 200],
    ['a body that nobody reads, and no such route', () => `GET /nothing ${GET}`, 404],
  ];
  /** The response to each, and how much was sent. All at the same time, because each connection lingers. */
  let outcomes: { response: RawAnswer; sent: number }[];
  beforeAll(async () => {
    outcomes = await Promise.all(
      FLOODS.map(async ([, head]) => {
        // Goes on sending after the service has ended its side, as clients other than Node's do.
        const client = new RawClient(service.port, { allowHalfOpen: true });
        client.write(head());
        const sent = client.sendUntilClosed(chunks);
        const response = await client.answer();
        await client.closed;
        return { response, sent: await sent };
      }),
    );
  });

  it.each(FLOODS.map(([name, , status], i) => [name, status, i] as const))(
    '%s: the service responds early, and reads no more',
    (_, status, i) => {
      const { response, sent } = outcomes[i];
      expect([response.status, response.headers['connection']]).toEqual([status, 'close']);
      if (status === 400) expect(response.body).toContain('chunks of a few bytes');
      expect(sent).toBeLessThan(IN_KERNEL);
    },
  );
});
