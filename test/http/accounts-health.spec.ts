import { readFileSync } from 'node:fs';
import { eventually } from '../support/eventually';
import { graphicPng } from '../support/images';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();

it('stores and logs no key', async () => {
  const { apiKey, send } = await service.signUp();
  await send(graphicPng(16, 16));
  for (const suffix of ['', '-wal']) {
    const stored = readFileSync(`${service.databaseUrl.replace('sqlite:', '')}${suffix}`, 'latin1');
    expect(stored.includes(apiKey)).toBe(false);
  }
  expect(JSON.stringify(service.logs())).not.toContain(apiKey);
});

it('logs one line per request with id, account and timings', async () => {
  const { accountId, send } = await service.signUp();
  await send(graphicPng(16, 16), '', { 'X-Request-Id': 'one-line' });
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
