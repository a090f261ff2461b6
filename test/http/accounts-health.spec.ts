import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { eventually } from '../support/eventually';
import { graphicPng } from '../support/images';
import { ownService } from '../support/service';

const database = join(temporaryFolder(), 'nested', 'service.db');
const service = ownService({ DATABASE_URL: `sqlite:${database}` });

it('lists keys without their text', async () => {
  const { apiKey, keyId } = await service.signUp();
  await service.api('account/keys', { method: 'POST', apiKey });
  const text = await (await service.api('account/keys', { apiKey })).text();
  expect(text).not.toContain(apiKey);
  const { keys } = JSON.parse(text) as { keys: { keyId: string; displayPrefix: string; revokedAt: null }[] };
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatchObject({ keyId, displayPrefix: apiKey.slice(0, 10), revokedAt: null });
});

it('stores and logs no key', async () => {
  const { apiKey } = await service.signUp();
  await service.compress(graphicPng(16, 16), apiKey);
  for (const suffix of ['', '-wal']) {
    const stored = readFileSync(`${database}${suffix}`, 'latin1');
    expect(stored.includes(apiKey)).toBe(false);
  }
  expect(JSON.stringify(service.logs())).not.toContain(apiKey);
});

it('logs one line per request with id, account and timings', async () => {
  const { apiKey, accountId } = await service.signUp();
  await service.compress(graphicPng(16, 16), apiKey, { 'X-Request-Id': 'one-line' });
  const linesOf = () => service.logs().filter(({ requestId }) => requestId === 'one-line');
  // The line is written shortly after the client has the response.
  await eventually(() => expect(linesOf().length).toBeGreaterThan(0));
  const lines = linesOf();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'info',
    method: 'POST',
    path: '/api/v1/compress',
    status: 200,
    accountId,
  });
  expect(lines[0]['timings']).toHaveProperty('queue');
});

it('reports its health in the format of Terminus', async () => {
  const live = await fetch(`${service.url}/health/live`);
  expect(live.status).toBe(200);
  expect(await live.json()).toMatchObject({ status: 'ok' });
  const ready = await fetch(`${service.url}/health/ready`);
  expect(await ready.json()).toMatchObject({
    status: 'ok',
    details: { database: { status: 'up' }, compression: { status: 'up' }, lifecycle: { status: 'up' } },
  });
});
