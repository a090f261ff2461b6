import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { graphicPng } from '../support/images';
import { portOf } from '../support/listening';
import type { DataPoint, LogRecord, Metric, Span } from '../support/otlp';
import { attributesOf, entriesOf, msOf } from '../support/otlp';
import { formWith, startService, type Service } from '../support/service';

const TRACE = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
const PARENT = '1122334455667788';
const spans: Span[] = [];
const metrics: Metric[] = [];
const records: LogRecord[] = [];
const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
let receiver: Server;
let endpoint: string;
let service: Service;
let keyText: string;
let prometheus: Record<string, number>;

beforeAll(async () => {
  receiver = createServer((req, res) => {
    const path = String(req.url);
    const receive = (body: string) => {
      received.push({ path, headers: req.headers, body });
      if (path === '/v1/traces') spans.push(...entriesOf<Span>(body, 'Spans'));
      if (path === '/v1/metrics') metrics.push(...entriesOf<Metric>(body, 'Metrics'));
      if (path === '/v1/logs') records.push(...entriesOf<LogRecord>(body, 'LogRecords'));
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    };
    void text(req).then(receive);
  });
  endpoint = `http://127.0.0.1:${await portOf(receiver)}`;
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=token-of-the-collector',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const { apiKey, send } = await service.signUp();
  await fetch(`${service.url}/health/ready?secret=of-a-probe`);
  const response = await service.api('compress?', {
    apiKey,
    headers: {
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
  const image = graphicPng(200, 150);
  // Decoders find the end of its pixels too early.
  const damaged = Buffer.concat([image.subarray(0, 60), image.subarray(-12)]);
  expect((await send(damaged)).status).toBe(422);
  keyText = apiKey.slice(4);
  prometheus = await service.metrics();
  await service.api('account?key=secret-in-a-query', { apiKey });
  // What remains is sent before the process exits.
  expect(await service.stop()).toBe(0);
});
afterAll(() => receiver.close());

const logOf = (path: string) => service.logs().find((line) => line['path'] === path);
const timesOf = (path: string) => logOf(path)?.['timings'] as Record<string, number>;
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
  const stages = stagesOf(request);
  expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['queue', 'decode', 'encode']));
  for (const stage of stages) {
    expect(stage.traceId).toBe(TRACE);
    // The stages are measured in whole milliseconds by another clock.
    const endsBy = BigInt(request.endTimeUnixNano) + 5_000_000n;
    expect(BigInt(stage.endTimeUnixNano)).toBeLessThanOrEqual(endsBy);
  }
  expect(attributesOf(request)).toMatchObject({ 'image.format': 'png' });
  const timings = timesOf('/api/v1/compress');
  expect(stages.map(({ name }) => name).sort()).toEqual(Object.keys(timings).sort());
  for (const stage of stages) expect(msOf(stage)).toBeCloseTo(timings[stage.name], 0);
});

const stagesOf = ({ spanId }: Span) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

it('traces where the time of a failed image went, and why it failed', () => {
  const [failed] = spans.filter((span) => attributesOf(span)['error.type'] === 'undecodable_image');
  expect(stagesOf(failed).map(({ name }) => name)).toEqual(['queue', 'worker']);
});

it('sends the collector its token, with every signal', () => {
  const paths = new Set(received.map(({ path }) => path));
  expect([...paths].sort()).toEqual(['/v1/logs', '/v1/metrics', '/v1/traces']);
  for (const { headers, body } of received) {
    expect(headers['x-collector-token']).toBe('token-of-the-collector');
    expect(body).toContain('{"key":"service.name","value":{"stringValue":"image-compression-service"}}');
  }
});

const lastOf = (name: string) => metrics.findLast((metric) => metric.name === name);

it('sends every metric that Prometheus reads, with the same values', () => {
  const names = Object.keys(prometheus).map((name) => name.replace(/\{.*/, ''));
  const sent = new Set(
    metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
  expect(names.filter((name) => !sent.has(name))).toEqual([]);
  expect(names.filter((name) => name.startsWith('ics_')).length).toBeGreaterThan(20);
  expect(lastOf('ics_images_total')).toMatchObject({
    description: expect.stringMatching(/^\w/) as string,
    sum: { isMonotonic: true },
  });
  const images = lastOf('ics_images_total')?.sum?.dataPoints.map(({ asDouble }) => asDouble) ?? [];
  expect(images.reduce((sum, each = 0) => Number(sum) + each, 0)).toBe(1);
  expect(lastOf('ics_workers')?.gauge?.dataPoints).toMatchObject([{ asDouble: 1 }]);
});

it('sends histograms whose buckets add up to those of Prometheus', () => {
  const [point] = (lastOf('ics_stage_seconds')?.histogram?.dataPoints ?? []) as Required<DataPoint>[];
  expect(point.count).toBe(1);
  const labels = point.attributes.map(({ key, value }) => `,${key}="${String(value['stringValue'])}"`);
  point.explicitBounds.forEach((bound, i) => {
    const below = point.bucketCounts.slice(0, i + 1).reduce((sum, count) => sum + count);
    expect(prometheus).toHaveProperty([`ics_stage_seconds_bucket{le="${bound}"${labels.join('')}}`], below);
  });
  expect(point.bucketCounts).toHaveLength(point.explicitBounds.length + 1);
});

it('sends the log, in which a request is part of its trace', () => {
  const messages = records.map(({ body }) => body.stringValue);
  expect(messages).toEqual(expect.arrayContaining(['listening', 'request', 'stopped']));
  const [compressed] = records.filter((record) =>
    JSON.stringify(record.attributes).includes('"/api/v1/compress"'),
  );
  expect(compressed).toMatchObject({ traceId: TRACE, severityText: 'info', severityNumber: 9 });
  const logged = logOf('/api/v1/compress') ?? {};
  const attributes = Object.keys(logged).filter((name) => !['level', 'time', 'message'].includes(name));
  expect(compressed.attributes.map(({ key }) => key).sort()).toEqual(attributes.sort());
});

it.each([
  ['OTEL_METRICS_EXPORTER', '/v1/metrics'],
  ['OTEL_LOGS_EXPORTER', '/v1/logs'],
  ['OTEL_TRACES_EXPORTER', '/v1/traces'],
])('%s=none leaves out its signal', async (variable, path) => {
  const before = received.length;
  const other = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, [variable]: 'none' });
  await fetch(`${other.url}/openapi.json`);
  await other.stop();
  const paths = received.slice(before).map((one) => one.path);
  const all = ['/v1/logs', '/v1/metrics', '/v1/traces'];
  expect([...new Set(paths)].sort()).toEqual(all.filter((one) => one !== path));
});

it('sends no key, from wherever it comes, and the trace state of the client otherwise', () => {
  for (const { body } of received) expect(body).not.toContain(keyText);
  expect(withPath('/key-in/ics_...')).toMatchObject([{ traceState: 'vendor=kept' }]);
});

it('sends no query string, no address and no user agent, and nothing about probes', () => {
  const [request] = withPath('/api/v1/account');
  expect(Object.keys(attributesOf(request))).toEqual(expect.arrayContaining(['url.path', 'http.method']));
  expect(withPath('/health/ready')).toEqual([]);
  for (const { body } of received.filter((one) => one.path === '/v1/traces')) {
    expect(body).not.toMatch(/secret|agent-of-a-person|127\.0\.0\.1|::1|net\.|client/);
  }
});
