/** Danger: what is counted for a connection and never released, because the client disconnects in the wrong moment. */
import { EventEmitter } from 'node:events';
import { pacedBody } from '../../src/compression/http/result-response';
import { until } from '../support/eventually';
import { expectStatus } from '../support/responses';
import { formEnd, partHead, RawClient, requestHead } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';
import { partOf } from '../support/part-of';

const MB = 1_000_000;
const TIMES = 1_000;
const AT_ONCE = 50;

describe('a service', () => {
  const service = sharedClientWithKey();
  let script: string;
  beforeAll(async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    script = `GET ${/\/docs\/assets\/[^"]+\.js/.exec(page)?.[0]} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  });

  it('answers a refused client that writes before it reads, after 1000 resets behind pending responses', async () => {
    const unread = script.repeat(3);
    const incomplete = `${requestHead(service.apiKey, { 'Content-Length': 100_000 })}${partHead()}`;
    for (let i = 0; i < TIMES; i += AT_ONCE) {
      const clients = Array.from({ length: AT_ONCE }, () => new RawClient(service.port));
      for (const client of clients) {
        client.socket.pause();
        client.write(unread + incomplete);
      }
      await until(async () => (await service.metric('requests_in_flight')) >= AT_ONCE);
      for (const client of clients) client.socket.resetAndDestroy();
      await service.untilMetric('requests_in_flight', 0);
    }
    await expectStatus(answerForPatientWriter(service.port), 401);
    expect(await service.metric('upload_memory_bytes')).toBe(0);
  });
});

it('leaves no timer behind for 1000 results whose clients have already disconnected', () => {
  jest.useFakeTimers();
  const res = Object.assign(new EventEmitter(), { destroyed: true });
  const cancelled = expect.objectContaining({ reason: 'cancelled' }) as Error;
  for (let i = 0; i < TIMES; i++) expect(() => pacedBody(Buffer.alloc(1), partOf(res))).toThrow(cancelled);
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

async function answerForPatientWriter(port: number) {
  const body = Buffer.from(`${partHead()}${'x'.repeat(24 * MB)}${formEnd}`);
  const client = new RawClient(port, { allowHalfOpen: true });
  client.socket.pause();
  client.write(requestHead('ics_wrong', { 'Content-Length': body.length }));
  expect(await client.sendUntilClosed(body)).toBe(body.length);
  client.socket.resume();
  return client.answer().finally(() => client.close());
}
