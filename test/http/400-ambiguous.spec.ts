/** Danger: requests that a proxy in front of the service may read differently. Each gets a response, and it is a refusal. */
import { expectProblemBody, expectStatus } from '../support/responses';
import { BOUNDARY, exchange, RawClient } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();

const upload = (headers: string) =>
  `POST /api/v1/compress HTTP/1.1\r\nConnection: close\r\n${headers}X-API-Key: ${service.apiKey}\r\n`;
const chunked = () => `${upload('Host: a\r\n')}Transfer-Encoding: chunked\r\n${multipartType}\r\n`;
const multipartType = `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n`;

it.each([
  ['two Host headers', () => `${upload('Host: a\r\nHost: b\r\n')}\r\n`],
  ['the same Host header twice', () => `${upload('Host: a\r\nhost: a\r\n')}\r\n`],
  ['two Host headers of HTTP/1.0', () => 'GET /docs HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['a list of hosts', () => `${upload('Host: a, b\r\n')}\r\n`],
  ['a host with a path', () => `${upload('Host: a/b\r\n')}\r\n`],
  ['a host with a user', () => `${upload('Host: a@b\r\n')}\r\n`],
  ['a malformed first chunk', () => `${chunked()}zz\r\nabc`],
  ['a malformed later chunk', () => `${chunked()}3\r\nabc\r\n-1\r\n`],
  ['a chunk that is longer than it says', () => `${chunked()}3\r\nabcdef\r\n`],
  ['a malformed trailer', () => `${chunked()}0\r\n a b\r\n\r\n`],
  [
    'a malformed chunk that no handler reads',
    () => 'GET /docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ],
  [
    'a malformed chunk behind another request',
    () => `GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n${chunked()}zz\r\n`,
  ],
])('%s', async (name, request) => {
  const client = RawClient.sending(service.port, request());
  await client.closed;
  const { text, statuses } = client;
  expect(statuses).toEqual(name.includes('behind') ? [200, 400] : [400]);
  const body = JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))) as Record<string, unknown>;
  expectProblemBody(body, 400, 'invalid_request');
  client.close();
});

it.each(['a', 'a:80', '', '[::1]:3000', 'my_service.internal', '127.0.0.1:65535'])(
  'accepts the Host header "%s"',
  async (host) => {
    const head = `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    await expectStatus(exchange(service.port, head), 200);
  },
);
