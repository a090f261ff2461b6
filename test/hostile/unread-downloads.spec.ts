/** Danger: downloads need no key. Results held for clients that do not read, and floods of ids that do not exist. */
import { noisyImage } from '../support/images';
import { peakMegabytesOf } from '../support/cost';
import { eventually } from '../support/eventually';
import { ownService, RawClient } from '../support/service';
import { expectError, locationOf, TinifyCaller } from '../support/tinify';

const MEBIBYTE = 1024 * 1024;
const ATTACKER = '198.51.100.7';
/** Memory of a download: two pieces. */
const DOWNLOAD_BYTES = 2 * MEBIBYTE;

const service = ownService({
  TINIFY_API: 'on',
  TRUST_PROXY: 'loopback',
  QUALITY: 'lossless',
  EFFORT: 'fast',
  MIN_SAVINGS_PERCENT: '50',
  MEMORY_BUDGET_MB: '256',
});
let caller: TinifyCaller;
/** The path of a result that is larger than what the kernel holds for a connection. */
let path: string;
let resultBytes: number;
beforeAll(async () => {
  caller = new TinifyCaller(service, (await service.signUp()).apiKey);
  const image = await noisyImage(2_000, 1_500, 60).png({ compressionLevel: 1 }).toBuffer();
  path = locationOf(await caller.shrink(image));
  resultBytes = image.length;
});

const reserved = () => service.metric('upload_memory_bytes');
const fetchAs = (address: string, url: string) =>
  fetch(`${service.url}${url}`, { headers: { 'X-Forwarded-For': address } });

it('holds two pieces for each download; an address may hold a share of the memory, and others are served', async () => {
  expect(resultBytes).toBeGreaterThan(8 * MEBIBYTE);
  const before = peakMegabytesOf(service);
  const limit = await service.metric('upload_memory_limit_bytes');
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${ATTACKER}\r\n\r\n`;
  const clients: RawClient[] = [];
  const hold = () => {
    const client = new RawClient(service.port);
    client.socket.pause();
    client.write(request);
    clients.push(client);
  };
  for (let i = 0; i < 80; i++) hold();
  await eventually(async () => {
    const refused = await fetchAs(ATTACKER, path);
    if (refused.status === 200) {
      await refused.body?.cancel();
      // In its place: it may have been before the others, which were refused.
      hold();
    } else await expectError(refused, 503, 'Overloaded');
    expect(refused.status).toBe(503);
  });
  const held = await reserved();
  expect(held % DOWNLOAD_BYTES).toBe(0);
  expect(held).toBeLessThan(0.6 * limit);
  const other = await fetchAs('203.0.113.9', path);
  expect((await other.arrayBuffer()).byteLength).toBe(resultBytes);
  expect(peakMegabytesOf(service) - before).toBeLessThan(262);
  for (const client of clients) client.close();
  await service.untilMetric('upload_memory_bytes', 0);
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
