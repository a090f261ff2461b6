/** Danger: downloads need no key. Results held for clients that do not read, and floods of ids that do not exist. */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { eventually } from '../support/eventually';
import { RawClient, startService, type Service } from '../support/service';
import { expectError, locationOf, TinifyCaller } from '../support/tinify';

const MEBIBYTE = 1024 * 1024;
const ATTACKER = '198.51.100.7';
const IN_PROGRESS = 32;

let service: Service;
let caller: TinifyCaller;
/** The path of a result that is larger than what the kernel holds for a connection. */
let path: string;
let resultBytes: number;
beforeAll(async () => {
  service = await startService({
    TINIFY_API: 'on',
    TRUST_PROXY: 'loopback',
    PNG_MODE: 'lossless',
    EFFORT: 'fast',
    MIN_SAVINGS_PERCENT: '50',
  });
  caller = new TinifyCaller(service, (await service.signUp()).apiKey);
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: 2_000, height: 1_500, channels: 3, background: 'grey', noise } as const;
  const image = await sharp({ create }).png({ compressionLevel: 1 }).toBuffer();
  path = locationOf(await caller.shrink(image));
  resultBytes = image.length;
});
afterAll(() => service.stop('SIGKILL'));

const peakMebibytes = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))?.[1]) / 1024;
const reserved = async () => (await service.metrics())['ics_upload_memory_bytes'];
const fetchAs = (address: string, url: string) =>
  fetch(`${service.url}${url}`, { headers: { 'X-Forwarded-For': address } });

it('holds two pieces for each of 32 downloads of an address; the others wait, and other addresses are served', async () => {
  expect(resultBytes).toBeGreaterThan(8 * MEBIBYTE);
  const before = peakMebibytes();
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${ATTACKER}\r\n\r\n`;
  const clients = Array.from({ length: 40 }, () => new RawClient(service.port));
  for (const client of clients) {
    client.socket.pause();
    client.write(request.repeat(16));
  }
  // Of each connection, one at a time.
  await eventually(async () => {
    expect((await service.metrics())['ics_requests_in_flight']).toBe(clients.length);
    expect(await reserved()).toBe((IN_PROGRESS * MEBIBYTE) / 2);
  });
  const other = await fetchAs('203.0.113.9', path);
  expect((await other.arrayBuffer()).byteLength).toBe(resultBytes);
  expect(await reserved()).toBe((IN_PROGRESS * MEBIBYTE) / 2);
  if (process.platform === 'linux') expect(peakMebibytes() - before).toBeLessThan(150);
  for (const client of clients) client.close();
  await eventually(async () => expect(await reserved()).toBe(0));
});

it('gives a place to the next in line, and answers 429 when 512 wait', async () => {
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${ATTACKER}\r\n\r\n`;
  const clients = Array.from({ length: IN_PROGRESS + 512 }, () => new RawClient(service.port));
  for (const client of clients) {
    client.socket.pause();
    client.write(request);
  }
  const expectInFlight = (count: number) =>
    eventually(async () => expect((await service.metrics())['ics_requests_in_flight']).toBe(count));
  await expectInFlight(IN_PROGRESS + 512);
  await expectError(await fetchAs(ATTACKER, path), 429, 'TooManyRequests');
  // These have all places, so the next one waits for the end of one of them.
  for (const client of clients.slice(IN_PROGRESS)) client.close();
  await expectInFlight(IN_PROGRESS);
  const waiting = fetchAs(ATTACKER, path);
  await expectInFlight(IN_PROGRESS + 1);
  for (const client of clients.slice(0, 2)) client.close();
  expect((await (await waiting).arrayBuffer()).byteLength).toBe(resultBytes);
});

it('looks up 100 unknown ids of an address in ten seconds; outputs of a moment ago are still served', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 120; i++) {
    const response = await fetchAs(ATTACKER, `/output/unknown-${i}`);
    statuses.push(response.status);
    await response.arrayBuffer();
    if (response.status === 429) break;
  }
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(100);
  const refused = await fetchAs(ATTACKER, '/output/unknown');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await expectError(refused, 429, 'TooManyRequests');
  expect((await fetchAs('203.0.113.9', '/output/unknown')).status).toBe(404);
  const known = await fetchAs(ATTACKER, path);
  expect((await known.arrayBuffer()).byteLength).toBe(resultBytes);
});
