import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../src/accounts/domain/api-key';
import { graphicPng } from '../support/images';
import { formEnd, ownService, partHead, RawClient, requestHead, startService } from '../support/service';

const image = graphicPng(32, 32);
const service = ownService();

async function othersAreServed(): Promise<void> {
  const { apiKey } = await service.signUp();
  expect((await service.compress(image, apiKey)).status).toBe(200);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
}

async function isSomethingHeld(): Promise<boolean> {
  const metrics = await service.metrics();
  return metrics['ics_requests_in_flight'] + metrics['ics_upload_memory_bytes'] > 0;
}

it('10,000 headers: 431, before they are all read', async () => {
  const client = new RawClient(service.port);
  const headers = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
  client.write(`GET /health/live HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  const { status, body } = await client.answer();
  expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([431, 'headers_too_large']);
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
  while (await isSomethingHeld()) await new Promise((resolve) => setTimeout(resolve, 10));
});

it('sixteen pipelined requests on one connection', async () => {
  const client = new RawClient(service.port);
  const answered = new Promise<number>((resolve) => {
    let text = '';
    client.socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      const count = text.split('HTTP/1.1 200').length - 1;
      if (count === 16) resolve(count);
    });
  });
  client.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16));
  expect(await answered).toBe(16);
  client.close();
});

it('refuses a flood of malformed and unknown keys, and serves other requests meanwhile', async () => {
  const { apiKey } = await service.signUp();
  const wrong = (i: number) => (i % 2 ? `${apiKey.slice(0, -1)}!` : `ics_${randomBytes(30).toString('hex')}`);
  let refused = 0;
  const flood = Array.from({ length: 20 }, async (_, lane) => {
    for (let i = 0; i < 50; i++) {
      const response = await fetch(`${service.url}/api/v1/account`, {
        headers: { 'X-API-Key': wrong(lane + i) },
      });
      if (response.status === 401) refused++;
      await response.arrayBuffer();
    }
  });
  await othersAreServed();
  await Promise.all(flood);
  expect(refused).toBe(1000);
});

it('a new key works during a flood of unknown keys', async () => {
  const flooded = await startService();
  const ask = (apiKey: string) =>
    fetch(`${flooded.url}/api/v1/account`, { headers: { 'X-API-Key': apiKey } });
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
  expect((await duringFlood(() => ask(apiKey))).status).toBe(200);
  const issue = { method: 'POST', headers: { 'X-API-Key': apiKey } };
  const added = await duringFlood(() => fetch(`${flooded.url}/api/v1/account/keys`, issue));
  const second = (await added.json()) as { apiKey: string };
  expect((await duringFlood(() => ask(second.apiKey))).status).toBe(200);
  const opened = await duringFlood(() => fetch(`${flooded.url}/api/v1/trials`, { method: 'POST' }));
  const trial = (await opened.json()) as { apiKey: string };
  expect((await duringFlood(() => ask(trial.apiKey))).status).toBe(200);
  await flooded.stop();
});

it('a flood of sign-ups from one address is limited, and existing keys keep working', async () => {
  const limited = await startService({ SIGNUP_LIMIT_PER_HOUR: '5' });
  const { apiKey } = await limited.signUp();
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const response = await fetch(`${limited.url}/api/v1/accounts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: `flood${i}@example.com` }),
      });
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(4);
  expect(statuses.filter((status) => status === 429)).toHaveLength(46);
  expect((await limited.compress(image, apiKey)).status).toBe(200);
  await limited.stop();
});

it('releases everything when clients pipeline sixteen requests and disconnect', async () => {
  const { apiKey } = await service.signUp();
  const clients = Array.from({ length: 20 }, () => new RawClient(service.port));
  const form = partHead() + formEnd;
  for (const client of clients) {
    client.socket.pause();
    client.write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(8));
    client.write((requestHead(apiKey, { 'Content-Length': form.length }) + form).repeat(7));
    client.write(requestHead(apiKey, { 'Content-Length': 50_000 }) + partHead());
  }
  expect((await service.compress(image, apiKey)).status).toBe(200);
  await othersAreServed();
  for (const client of clients) client.close();
  while (await isSomethingHeld()) await new Promise((resolve) => setTimeout(resolve, 10));
});
