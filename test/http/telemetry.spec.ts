/** Traces as received by a real OTLP receiver on this machine. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { graphicPng } from '../support/images';
import { formWith, startService, type Service } from '../support/service';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

const TRACE = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
const PARENT = '1122334455667788';
const spans: Span[] = [];
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
let receiver: Server;
let service: Service;
let keyText: string;

beforeAll(async () => {
  receiver = createServer((req, res) => {
    let body = '';
    req.on('data', (piece: Buffer) => (body += piece.toString()));
    req.on('end', () => {
      received.push({ headers: req.headers, body });
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=token-of-the-collector',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const { apiKey } = await service.signUp();
  await fetch(`${service.url}/health/ready?secret=of-a-probe`);
  const response = await fetch(`${service.url}/api/v1/compress?`, {
    method: 'POST',
    headers: {
      'X-API-Key': apiKey,
      'User-Agent': 'agent-of-a-person',
      traceparent: `00-${TRACE}-${PARENT}-01`,
      tracestate: `vendor=${apiKey}`,
    },
    body: formWith(graphicPng(200, 150)),
  });
  expect(response.status).toBe(200);
  await fetch(`${service.url}/key-in/${apiKey.replace('_', '%5f')}`, {
    headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=kept' },
  });
  keyText = apiKey.slice(4);
  await fetch(`${service.url}/api/v1/account?key=secret-in-a-query`, { headers: { 'X-API-Key': apiKey } });
  // Remaining spans are sent before the process exits.
  expect(await service.stop()).toBe(0);
});
afterAll(() => receiver.close());

const attributesOf = (span: Span) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const withPath = (path: string) => spans.filter((span) => attributesOf(span)['url.path'] === path);

it('traces the first request', () => {
  const starts = spans.map((span) => BigInt(span.startTimeUnixNano)).sort((a, b) => (a < b ? -1 : 1));
  // The test support reads the contract as soon as the service listens.
  const [first] = withPath('/openapi.json');
  expect(BigInt(first.startTimeUnixNano)).toBe(starts[0]);
});

it("makes the request's span a child of the client's, and the stages children of the request's", () => {
  const [request] = withPath('/api/v1/compress');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  const stages = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['queue', 'decode', 'encode']));
  for (const stage of stages) {
    expect(stage.traceId).toBe(TRACE);
    // The stages are measured in whole milliseconds by another clock.
    const endsBy = BigInt(request.endTimeUnixNano) + 5_000_000n;
    expect(BigInt(stage.endTimeUnixNano)).toBeLessThanOrEqual(endsBy);
  }
  expect(attributesOf(request)).toMatchObject({ 'image.format': 'png' });
});

it('sends the collector its token', () => {
  expect(received[0].headers['x-collector-token']).toBe('token-of-the-collector');
});

it('sends no key, from wherever it comes, and the trace state of the client otherwise', () => {
  for (const { body } of received) expect(body).not.toContain(keyText);
  expect(withPath('/key-in/ics_...')).toMatchObject([{ traceState: 'vendor=kept' }]);
});

it('sends no query string, no address and no user agent, and nothing about probes', () => {
  const [request] = withPath('/api/v1/account');
  expect(Object.keys(attributesOf(request))).toEqual(expect.arrayContaining(['url.path', 'http.method']));
  expect(withPath('/health/ready')).toEqual([]);
  for (const { body } of received) {
    expect(body).not.toMatch(/secret|agent-of-a-person|127\.0\.0\.1|::1|net\.|client/);
  }
});
