import { generateApiKey } from '../../src/accounts/domain/api-key';
import { until } from '../support/eventually';
import { graphicPng } from '../support/images';
import { expectRawProblem, expectStatus } from '../support/responses';
import {
  exchange,
  formEnd,
  ownService,
  partHead,
  RawClient,
  requestHead,
  startService,
} from '../support/service';

const image = graphicPng(32, 32);
const service = ownService();

async function othersAreServed() {
  const { send } = await service.signUp();
  await expectStatus(send(image), 200);
  await expectStatus(fetch(`${service.url}/health/live`), 200);
}

async function isSomethingHeld() {
  const metrics = await service.metrics();
  return metrics['ics_requests_in_flight'] + metrics['ics_upload_memory_bytes'] > 0;
}

it('10,000 headers: 431, before they are all read', async () => {
  const headers = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
  const head = `GET /health/live HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
  expectRawProblem(await exchange(service.port, head), 431, 'headers_too_large');
  await othersAreServed();
});

it('two hundred request headers and bodies that stall', async () => {
  const { apiKey } = await service.signUp();
  const clients = Array.from({ length: 200 }, () => new RawClient(service.port));
  clients.forEach((client, i) => {
    const head = requestHead(apiKey, { 'Content-Length': 50_000 });
    client.write(i % 2 ? head.slice(0, 60) : head + partHead());
  });
  await othersAreServed();
  for (const client of clients) client.close();
  // Some are only read after their clients have disconnected.
  await until(async () => !(await isSomethingHeld()));
});

it('a new key works during a flood of unknown keys', async () => {
  const flooded = await startService();
  const ask = (apiKey: string) => flooded.api('account', { apiKey });
  // All at once, because the limit of 100 holds for 10 s, in which a slow machine sends fewer one after the other.
  const flood = async () => {
    const responses = await Promise.all(Array.from({ length: 150 }, () => ask(generateApiKey())));
    return responses.some(({ status }) => status === 429);
  };
  const duringFlood = async <T>(work: () => Promise<T>) => {
    const [isRefusing, result] = await Promise.all([flood(), work()]);
    expect(isRefusing).toBe(true);
    return result;
  };
  const { apiKey } = await duringFlood(() => flooded.signUp());
  await expectStatus(
    duringFlood(() => ask(apiKey)),
    200,
  );
  const second = await duringFlood(() => flooded.addKey(apiKey));
  await expectStatus(
    duringFlood(() => ask(second.apiKey)),
    200,
  );
  const trial = await duringFlood(() => flooded.openTrial());
  await expectStatus(
    duringFlood(() => ask(trial.apiKey)),
    200,
  );
  await flooded.stop();
});

it('releases everything when clients pipeline sixteen requests and disconnect', async () => {
  const { apiKey, send } = await service.signUp();
  const clients = Array.from({ length: 20 }, () => new RawClient(service.port));
  const form = partHead() + formEnd;
  for (const client of clients) {
    client.socket.pause();
    client.write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(8));
    client.write((requestHead(apiKey, { 'Content-Length': form.length }) + form).repeat(7));
    client.write(requestHead(apiKey, { 'Content-Length': 50_000 }) + partHead());
  }
  await expectStatus(send(image), 200);
  await othersAreServed();
  for (const client of clients) client.close();
  await until(async () => !(await isSomethingHeld()));
});
