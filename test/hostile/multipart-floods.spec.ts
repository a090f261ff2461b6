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
  const response = await client.answer(30_000);
  client.close();
  expect(response.status).toBe(400);
  expect(cpuSeconds() - before).toBeLessThan(1.5);
});

onLinux('chunks of one byte are joined before they are parsed', async () => {
  const file = Buffer.concat([graphicPng(16, 16), Buffer.alloc(MEBIBYTE)]);
  const form = Buffer.concat([Buffer.from(partHead()), file, Buffer.from(formEnd)]);
  const chunks = Buffer.alloc(form.length * 6 + 5);
  form.forEach((byte, i) => {
    chunks.write('1\r\n', i * 6);
    chunks[i * 6 + 3] = byte;
    chunks.write('\r\n', i * 6 + 4);
  });
  chunks.write('0\r\n\r\n', form.length * 6);
  const client = new RawClient(service.port);
  client.write(requestHead(apiKey, { 'Transfer-Encoding': 'chunked' }));
  client.write(chunks);
  const response = await client.answer(60_000);
  expect([response.status, response.headers['x-original-size']]).toEqual([200, String(file.length)]);
  client.close();
});
