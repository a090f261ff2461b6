/** Danger: a path or a header whose text makes the service work; no key is needed. */
import { onLinux } from '../support/on-linux';
import { processorSeconds } from '../support/processor-time';
import { ownService, RawClient } from '../support/service';

const service = ownService({ TINIFY_API: 'on' });

/** The limit of Node for all headers is 16 kB. */
const LENGTH = 15_000;
/** Such a request takes about 1 ms. With a quadratic expression it took 300 ms. */
const MOST_SECONDS = 0.1;

const PUMPS = [...Array.from('a/%.-,;= \t'), 'A0_', '%5f', '%25', '//a', 'keys/', '"a",', 'a '];
const HEADERS = [
  'Authorization: Bearer ',
  'Authorization: Basic ',
  'X-API-Key: ',
  'X-Request-Id: ',
  'Accept: ',
  'Accept-Encoding: ',
  'If-None-Match: ',
  'Cache-Control: ',
  'Content-Type: multipart/form-data; boundary',
  'Content-Encoding: ',
  'Expect: ',
  'Forwarded: ',
  'X-Forwarded-For: ',
  'Cookie: ',
  'traceparent: ',
  'tracestate: ',
];
const pumped = (pump: string) => pump.repeat(Math.floor(LENGTH / pump.length));
const LINES = ['GET / HTTP/1.1', 'POST /api/v1/compress HTTP/1.1\r\nContent-Length: 0'];
const requests: [string, string][] = [
  ...PUMPS.filter((pump) => !/\s|"/.test(pump)).flatMap((pump): [string, string][] =>
    ['/', '/keys/', '/assets/', '/api/v1/account/keys/'].map((start) => [
      `the path ${start}${pump}...`,
      `GET ${start}${pumped(pump)} HTTP/1.1\r\nHost: a\r\n`,
    ]),
  ),
  ...HEADERS.flatMap((header) =>
    PUMPS.flatMap((pump) =>
      LINES.map((line): [string, string] => [
        `${header}${pump}...`,
        `${line}\r\nHost: a\r\n${header}${pumped(pump)}!\r\n`,
      ]),
    ),
  ),
  ...PUMPS.map((pump): [string, string] => [`Host: ${pump}`, `GET / HTTP/1.1\r\nHost: ${pumped(pump)}!\r\n`]),
];

async function secondsOf(request: string) {
  const pid = service.process.pid ?? 0;
  const before = processorSeconds(pid);
  const client = new RawClient(service.port);
  client.write(`${request}Connection: close\r\n\r\n`);
  await client.closed;
  return processorSeconds(pid) - before;
}

onLinux('takes little time for any path and any header', async () => {
  const slow: string[] = [];
  for (const [name, request] of requests) {
    const isSlow = async () => (await secondsOf(request)) > MOST_SECONDS;
    if ((await isSlow()) && (await isSlow()) && (await isSlow())) slow.push(name);
  }
  expect(slow).toEqual([]);
});
