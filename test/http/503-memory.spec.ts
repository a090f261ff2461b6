import { peakMegabytesOf } from '../support/cost';
import { until } from '../support/eventually';
import { graphicPng, photoJpeg } from '../support/images';
import { expectRawProblem, expectStatus } from '../support/responses';
import {
  asChunk,
  BOUNDARY,
  exchange,
  formEnd,
  partHead,
  RawClient,
  requestHead,
  startService,
  type Service,
} from '../support/service';

const MEBIBYTE = 1024 * 1024;
const image = graphicPng(32, 32);
/** 16 MiB for uploads and results, and 4.8 of them for one account; an upload of 1 MiB counts as 2.4. */
const LIMITS = { MEMORY_BUDGET_MB: '32', MAX_UPLOAD_MB: '1', WORKERS: '1', QUEUE_LIMIT: '50' };
let service: Service;
beforeAll(async () => (service = await startService(LIMITS)));
afterAll(() => service.stop('SIGKILL'));

function sending(bytes: number, apiKey: string, declared = 1_000_000) {
  const head = requestHead(apiKey, { 'Content-Length': declared });
  const client = RawClient.sending(service.port, head + partHead());
  if (bytes > 0) client.write(Buffer.concat([image, Buffer.alloc(bytes)]));
  return client;
}
const fourAccounts = () => Promise.all([1, 2, 3, 4].map(() => service.signUp()));
const claimed = () => service.metric('upload_memory_bytes');
const untilReleased = () => service.untilMetric('upload_memory_bytes', 0);
async function expectOverloaded(client: RawClient) {
  const response = await client.answer();
  expectRawProblem(response, 503, 'overloaded');
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
}

it('refuses a body by its declared length if memory is short, and accepts it later', async () => {
  const [{ apiKey, send }, other] = await Promise.all([service.signUp(), service.signUp()]);
  const holders = [1, 2].map(() => sending(0.9 * MEBIBYTE, apiKey));
  await until(async () => (await claimed()) > 4.2 * MEBIBYTE);
  const refused = sending(0, apiKey);
  await expectOverloaded(refused);
  refused.close();
  await expectStatus(other.send(image), 200);
  for (const client of holders) client.close();
  await untilReleased();
  await expectStatus(send(image), 200);
});

it('refuses an upload when the memory for it runs out while it arrives', async () => {
  const { apiKey } = await service.signUp();
  const clients = [1, 2, 3].map(() => sending(0, apiKey));
  await until(async () => (await claimed()) > 0);
  for (const client of clients) client.write(Buffer.concat([image, Buffer.alloc(0.9 * MEBIBYTE)]));
  // Whichever is later.
  await Promise.any(clients.map((client) => expectOverloaded(client)));
  for (const client of clients) client.close();
  await untilReleased();
});

it('reserves hardly any memory for a declared length', async () => {
  const accounts = await fourAccounts();
  const clients = accounts.flatMap(({ apiKey }) => Array.from({ length: 25 }, () => sending(0, apiKey)));
  await service.untilMetric('requests_in_flight', 100);
  expect(await claimed()).toBeLessThan(8 * MEBIBYTE);
  const { send } = await service.signUp();
  const honest = await Promise.all(Array.from({ length: 14 }, () => send(image)));
  expect(honest.map(({ status }) => status)).toEqual(Array(14).fill(200));
  for (const client of clients) client.close();
  await untilReleased();
});

it('responds 413 to a file that is too large even if memory is short', async () => {
  const accounts = await fourAccounts();
  const holders = accounts.flatMap(({ apiKey }) => [1, 2].map(() => sending(0.8 * MEBIBYTE, apiKey)));
  // All accounts have one address, and a fifth is left to others.
  await until(async () => (await claimed()) > 11 * MEBIBYTE);
  const tooLarge = sending(0, accounts[0].apiKey, 30 * MEBIBYTE);
  expectRawProblem(await tooLarge.answer(), 413, 'image_too_large');
  for (const client of [tooLarge, ...holders]) client.close();
  await untilReleased();
});

it('reserves memory for a body of unknown length as it arrives, some in advance', async () => {
  const { apiKey } = await service.signUp();
  const head = requestHead(apiKey, { 'Transfer-Encoding': 'chunked' });
  const client = RawClient.sending(service.port, head);
  for (const piece of [Buffer.from(partHead()), image, Buffer.alloc(MEBIBYTE / 8)])
    client.write(asChunk(piece));
  await until(async () => (await claimed()) > 1.2 * MEBIBYTE);
  expect(await claimed()).toBeLessThan(1.4 * MEBIBYTE);
  client.close();
  await untilReleased();
});

it('releases the memory of a request however it ends', async () => {
  const { apiKey, send } = await service.signUp();
  const outcomes = await Promise.all([
    send(image),
    send(Buffer.from('nonsense')),
    send(image.subarray(0, 40)),
    service.api('compress', {
      apiKey,
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: 'no boundary in here',
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([200, 415, 422, 400]);
  await Promise.all(outcomes.map((response) => response.arrayBuffer()));
  await untilReleased();
});

it('reserves nothing for clients that disconnect before they are authenticated', async () => {
  const { apiKey } = await service.signUp();
  for (let i = 0; i < 300; i++) {
    const client = new RawClient(service.port);
    await new Promise((resolve) => client.socket.once('connect', resolve));
    client.write(requestHead(apiKey, { 'Content-Length': 40_000 }) + partHead());
    await new Promise((resolve) => setTimeout(resolve, i % 4));
    client.close();
  }
  await service.untilMetric('requests_in_flight', 0);
  await untilReleased();
});

it('responds 408 to a stalled upload and releases its memory', async () => {
  const { apiKey } = await service.signUp();
  expectRawProblem(await sending(0, apiKey).answer(), 408, 'request_timeout');
  await untilReleased();
});

it('stays within its memory budget when forty clients send 20 MB at once', async () => {
  await service.stop();
  service = await startService({ MEMORY_BUDGET_MB: '256', QUEUE_LIMIT: '100' });
  const accounts = await fourAccounts();
  const picture = await photoJpeg(640, 480);
  // Differs between versions of Node.js.
  const idle = peakMegabytesOf(service);
  // A file of 20 MB that costs little to compress.
  const file = Buffer.concat([picture, Buffer.alloc(20 * MEBIBYTE - picture.length)]);
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const length = partHead().length + file.length + formEnd.length;
      const head = requestHead(accounts[i % 4].apiKey, { 'Content-Length': length }) + partHead();
      const { status, body } = await exchange(service.port, head, file, formEnd);
      return status === 200 ? 'done' : (JSON.parse(body) as { code: string }).code;
    }),
  );
  expect(answers).toContain('overloaded');
  // On a slow machine an upload may take longer than the 120 s that it may.
  expect(['done', 'overloaded', 'request_timeout']).toEqual(expect.arrayContaining(answers));
  expect(answers.filter((outcome) => outcome === 'done').length).toBeGreaterThanOrEqual(2);
  // Half of the budget, and the kernel's chunks until they are collected.
  expect(peakMegabytesOf(service) - idle).toBeLessThan(197);
});
