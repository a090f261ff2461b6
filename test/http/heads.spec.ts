/** Request headers that never end: their connections are closed soon. */
import { RawClient, type ServiceClient } from '../support/service';
import { sharedService } from '../support/shared-service';

let service: ServiceClient;
beforeAll(async () => (service = await sharedService()));

it('responds 408 to request headers that do not end', async () => {
  const client = new RawClient(service.port);
  client.write('POST /api/v1/compress HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  const drip = setInterval(() => client.socket.write('x'), 500);
  // The limit is 12 s, checked every 3 s; the default of Node.js is 60 s.
  const { status, body } = await client.answer();
  clearInterval(drip);
  expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([408, 'request_timeout']);
  await client.closed;
});

it.each(['/', '/docs', '/openapi.json', '/health/live', '/nowhere', '/%', '/assets/none.js'])(
  'forbids type sniffing and caching: %s',
  async (path) => {
    const { headers } = await fetch(service.url + path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe(path === '/' ? 'no-cache' : 'no-store');
  },
);
