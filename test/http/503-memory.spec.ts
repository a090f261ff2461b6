import { readFileSync } from 'node:fs';
import { graphicPng, photoJpeg } from '../support/images';
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
const image = graphicPng(32, 32);
/** Half of the budget is for uploads, which are counted twice: 8 MiB of bodies, 6 of them for one account. */
const BUDGET_MB = '32';
let service: Service;
beforeAll(async () => {
  service = await startService({ MEMORY_BUDGET_MB: BUDGET_MB, WORKERS: '1', QUEUE_LIMIT: '50' });
});
afterAll(() => service.stop());

/** A caller who says what he is going to send, and sends nothing. */
function declaring(bytes: number, apiKey: string): RawClient {
  const client = new RawClient(service.port);
  client.write(requestHead(apiKey, { 'Content-Length': bytes }) + partHead());
  return client;
}
const claimed = async () => (await service.metrics())['ics_upload_memory_bytes'];
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('refuses by the declared length what there is no memory for, and takes it when there is', async () => {
  const [{ apiKey }, other] = await Promise.all([service.signUp(), service.signUp()]);
  const [first, second] = [declaring(3 * MEBIBYTE, apiKey), declaring(3 * MEBIBYTE, apiKey)];
  await until(async () => (await claimed()) === 12 * MEBIBYTE);
  // One for whom there is no memory, and one that would leave the others too little.
  for (const refused of [declaring(3 * MEBIBYTE, other.apiKey), declaring(MEBIBYTE, apiKey)]) {
    const answer = await refused.answer();
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'overloaded' });
    await refused.closed;
  }
  // The others are served: nobody gets everything.
  expect((await service.compress(image, other.apiKey)).status).toBe(200);

  first.close();
  await until(async () => (await claimed()) === 6 * MEBIBYTE);
  const third = declaring(3 * MEBIBYTE, apiKey);
  await until(async () => (await claimed()) === 12 * MEBIBYTE);
  for (const client of [second, third]) client.close();
  await until(async () => (await claimed()) === 0);
});

it('says of what is too large that it is too large, also when there is no room', async () => {
  const accounts = await Promise.all([service.signUp(), service.signUp()]);
  const holders = accounts.map(({ apiKey }) => declaring(3.75 * MEBIBYTE, apiKey));
  await until(async () => (await claimed()) === 15 * MEBIBYTE);
  const tooLarge = declaring(30 * MEBIBYTE, accounts[0].apiKey);
  const { status, body } = await tooLarge.answer();
  expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([413, 'image_too_large']);
  for (const client of holders) client.close();
  await until(async () => (await claimed()) === 0);
});

it('counts a body of unknown length as the largest there may be', async () => {
  const { apiKey } = await service.signUp();
  const client = new RawClient(service.port);
  client.write(
    requestHead(apiKey, { 'Transfer-Encoding': 'chunked' }) + `${partHead().length.toString(16)}\r\n`,
  );
  client.write(`${partHead()}\r\n`);
  await until(async () => (await claimed()) === 40 * MEBIBYTE);
  client.close();
  await until(async () => (await claimed()) === 0);
});

it('releases what it claimed whatever becomes of a request', async () => {
  const { apiKey } = await service.signUp();
  const outcomes = await Promise.all([
    service.compress(image, apiKey),
    service.compress(Buffer.from('nonsense'), apiKey),
    service.compress(image.subarray(0, 40), apiKey),
    fetch(`${service.url}/api/v1/compress`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: 'no boundary in here',
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([200, 415, 422, 400]);
  await Promise.all(outcomes.map((response) => response.arrayBuffer()));
  await until(async () => (await claimed()) === 0);
});

it('claims nothing for callers who have left before they were known', async () => {
  const { apiKey } = await service.signUp();
  for (let i = 0; i < 300; i++) {
    const client = new RawClient(service.port);
    await new Promise((resolve) => client.socket.once('connect', resolve));
    client.write(requestHead(apiKey, { 'Content-Length': 40_000 }) + partHead());
    await new Promise((resolve) => setTimeout(resolve, i % 4));
    client.close();
  }
  await until(
    async () => (await service.metrics())['ics_requests_in_flight'] === 0 && (await claimed()) === 0,
  );
});

it('answers an upload that stands still with 408, and gives its memory to others', async () => {
  const { apiKey } = await service.signUp();
  const client = declaring(MEBIBYTE, apiKey);
  const answer = await client.answer(30_000);
  expect(answer.status).toBe(408);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'request_timeout' });
  await until(async () => (await claimed()) === 0);
});

it('a hundred clients who send 20 MB at once stay within the stated memory, and those who are let in succeed', async () => {
  if (process.platform !== 'linux') return;
  await service.stop();
  service = await startService({ MEMORY_BUDGET_MB: '256', QUEUE_LIMIT: '100' });
  const keys = (await Promise.all([1, 2, 3, 4].map(() => service.signUp()))).map(({ apiKey }) => apiKey);
  const picture = await photoJpeg(640, 480);
  // A file of 20 MB that costs little to compress.
  const file = Buffer.concat([picture, Buffer.alloc(20 * MEBIBYTE - picture.length)]);
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const client = new RawClient(service.port);
      const length = partHead().length + file.length + formEnd.length;
      client.write(requestHead(keys[i % 4], { 'Content-Length': length }) + partHead());
      client.write(file);
      client.write(formEnd);
      const { status, body } = await client.answer(60_000);
      client.close();
      return status === 200 ? 'done' : (JSON.parse(body) as { code: string }).code;
    }),
  );
  expect(new Set(answers)).toEqual(new Set(['done', 'overloaded']));
  expect(answers.filter((outcome) => outcome === 'done').length).toBeGreaterThanOrEqual(3);
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  const peakMebibytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  // What the process takes anyway, half of the budget, and what the kernel's pieces take until they are collected.
  expect(peakMebibytes).toBeLessThan(120 + 128 + 60);
}, 120_000);
