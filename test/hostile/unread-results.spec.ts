/** Danger: results that are larger than their uploads, held for clients that do not read them. */
import sharp from 'sharp';
import { eventually } from '../support/eventually';
import { formEnd, partHead, RawClient, requestHead, startService, type Service } from '../support/service';

/** As many as may be pending on a connection; their results are more than the buffers of the kernel take. */
const REQUESTS = 16;
let service: Service;
let apiKey: string;
/** Two colours, which scaling turns into many. */
let growing: Buffer;
beforeAll(async () => {
  service = await startService({ EFFORT: 'fast', MEMORY_BUDGET_MB: '192', MAX_DIMENSION_PX: '1200' });
  ({ apiKey } = await service.signUp());
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  growing = await sharp({ create: { width: 1400, height: 1000, channels: 3, background: 'grey', noise } })
    .png({ palette: true, colours: 2 })
    .toBuffer();
});
afterAll(() => service.stop('SIGKILL'));

const claimed = async () => (await service.metrics())['ics_upload_memory_bytes'];

it('reserves memory for unread results, but no longer for their uploads', async () => {
  const form = Buffer.concat([Buffer.from(partHead()), growing, Buffer.from(formEnd)]);
  const post = Buffer.concat([Buffer.from(requestHead(apiKey, { 'Content-Length': form.length })), form]);
  const client = new RawClient(service.port);
  client.socket.pause();
  for (let i = 0; i < REQUESTS; i++) client.write(post);
  const resultBytes = (await (await service.compress(growing, apiKey)).arrayBuffer()).byteLength;
  expect(resultBytes).toBeGreaterThan(growing.length);
  // Results that the kernel has taken are released; those behind them stay.
  await eventually(async () => {
    const waiting = (await claimed()) / resultBytes;
    expect(waiting).toBeGreaterThanOrEqual(1);
    expect(waiting).toBe(Math.round(waiting));
  });
  client.close();
  await eventually(async () => expect(await claimed()).toBe(0));
});
