/** Danger: results that are larger than their uploads, held for clients that do not read them. */
import { eventually } from '../support/eventually';
import { noisyImage } from '../support/images';
import { formBody, ownServiceWithKey, RawClient, requestHead } from '../support/service';

/** As many as may be pending on a connection; their results are more than the buffers of the kernel take. */
const REQUESTS = 16;
const service = ownServiceWithKey({
  EFFORT: 'fast',
  MEMORY_BUDGET_MB: '192',
  MAX_DIMENSION_PX: '1200',
});
/** Two colours, which scaling turns into many. */
let growing: Buffer;
beforeAll(async () => {
  growing = await noisyImage(1400, 1000, 40).png({ palette: true, colours: 2 }).toBuffer();
});

const claimed = () => service.metric('upload_memory_bytes');

it('reserves memory for unread results, but no longer for their uploads', async () => {
  const form = formBody(growing);
  const post = Buffer.concat([
    Buffer.from(requestHead(service.apiKey, { 'Content-Length': form.length })),
    form,
  ]);
  const client = new RawClient(service.port);
  client.socket.pause();
  for (let i = 0; i < REQUESTS; i++) client.write(post);
  const resultBytes = (await (await service.send(growing)).arrayBuffer()).byteLength;
  expect(resultBytes).toBeGreaterThan(growing.length);
  // Results that the kernel has taken are released; those behind them stay.
  await eventually(async () => {
    const waiting = (await claimed()) / resultBytes;
    expect(waiting).toBeGreaterThanOrEqual(1);
    expect(waiting).toBe(Math.round(waiting));
  });
  client.close();
  await service.untilMetric('upload_memory_bytes', 0);
});
