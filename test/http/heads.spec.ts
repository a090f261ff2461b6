/** Request headers that never end: their connections are closed soon. */
import { PROJECT } from '../support/folders';
import { expectHead, expectRawProblem } from '../support/responses';
import { RawClient } from '../support/service';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();

it('responds 408 to request headers that do not end', async () => {
  const begun = 'POST /api/v1/compress HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';
  const client = RawClient.sending(service.port, begun);
  const drip = setInterval(() => client.socket.write('x'), 500);
  const answer = await client.answer();
  clearInterval(drip);
  expectRawProblem(answer, 408, 'request_timeout');
  await client.closed;
});

it('heads may take 12 s and requests 120 s; idle connections stay open longer than those of proxies', () => {
  // Jest cannot load Express.
  const code = `const { LimitedExpressAdapter } = require(process.argv[1]);
    const adapter = new LimitedExpressAdapter();
    adapter.initHttpServer();
    const { headersTimeout, requestTimeout, keepAliveTimeout } = adapter.getHttpServer();
    console.log(headersTimeout, requestTimeout, keepAliveTimeout);`;
  const { stdout } = PROJECT.node('-e', code, './dist/http/server.js');
  expect(stdout).toBe('12000 120000 72000\n');
});

it.each(['/', '/docs', '/openapi.json', '/health/live', '/nowhere', '/%', '/assets/none.js'])(
  'forbids type sniffing and caching: %s',
  async (path) => {
    expectHead(await fetch(service.url + path), {
      'x-content-type-options': 'nosniff',
      'cache-control': path === '/' ? 'no-cache' : 'no-store',
    });
  },
);
