/** Danger: results that are larger than their uploads, held for clients that do not read them. */
import sharp from 'sharp';
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
let service: Service;
let apiKey: string;
/** Two colours, which scaling turns into many. */
let growing: Buffer;
beforeAll(async () => {
  service = await startService({ MEMORY_BUDGET_MB: '32', MAX_UPLOAD_MB: '1', MAX_DIMENSION_PX: '1000' });
  ({ apiKey } = await service.signUp());
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  growing = await sharp({ create: { width: 1400, height: 1000, channels: 3, background: 'grey', noise } })
    .png({ palette: true, colours: 2 })
    .toBuffer();
}, 120_000);
afterAll(() => service.stop('SIGKILL'));

const claimed = async () => (await service.metrics())['ics_upload_memory_bytes'];

it('reserves memory for an unread result, but no longer for its upload', async () => {
  const form = Buffer.concat([Buffer.from(partHead()), growing, Buffer.from(formEnd)]);
  const body = await service.compress(growing, apiKey);
  const resultBytes = (await body.arrayBuffer()).byteLength;
  expect(resultBytes).toBeGreaterThan(growing.length);
  expect(await claimed()).toBe(0);
  // Several on one connection: the second result waits until the first is read.
  const client = new RawClient(service.port);
  client.socket.pause();
  for (let i = 0; i < 12; i++) {
    client.write(requestHead(apiKey, { 'Content-Length': form.length }));
    client.write(form);
  }
  let most = 0;
  let last = -1;
  for (let i = 0; i < 40; i++) {
    last = await claimed();
    most = Math.max(most, last);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(most).toBeLessThanOrEqual(16 * MEBIBYTE);
  expect(last === 0 || last >= resultBytes).toBe(true);
  client.close();
  while ((await claimed()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(BOUNDARY).toBeDefined();
}, 120_000);
