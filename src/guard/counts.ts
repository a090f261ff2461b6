/** What a guard has done: totals for its log, and metrics for Prometheus, which the server of this file shows. */
import { createServer, type Server } from 'node:http';
import type { CompressionRunner } from '../compression/application/running/compression-runner.port';
import type { HeldBodies } from './held-bodies';
import type { UploadRecord } from './image-uploads';

/** The members of the totals, each with its metric and help text. */
const COUNTERS = {
  uploads: ['uploads_total', 'Uploads that could hold images.'],
  images: ['images_total', 'Images in uploads.'],
  smaller: ['smaller_images_total', 'Images that went on smaller.'],
  before: ['image_received_bytes_total', 'Bytes of images as they came.'],
  after: ['image_sent_bytes_total', 'Bytes of images as they went on.'],
  withPosition: ['images_with_position_total', 'Images that state where they were taken.'],
} as const;
type Counter = keyof typeof COUNTERS;

export class Counts {
  private readonly counted = Object.fromEntries(Object.keys(COUNTERS).map((name) => [name, 0])) as Record<
    Counter,
    number
  >;
  /** Uploads of which an image passed as it came, by the reason. */
  private readonly passed: Record<string, number> = {};

  add(record: UploadRecord): void {
    const added = { ...record, uploads: 1 };
    for (const name of Object.keys(COUNTERS) as Counter[]) this.counted[name] += added[name];
    for (const why of record.passed) {
      // Clients choose the names of headers: each would be a metric.
      const reason = why.replace(/^header \S+/, 'header');
      this.passed[reason] = (this.passed[reason] ?? 0) + 1;
    }
  }

  totals() {
    return { ...this.counted, passed: { ...this.passed } };
  }

  metrics(held: HeldBodies, runner: CompressionRunner): string {
    const metric = (type: string, name: string, help: string, samples: readonly string[]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => name + sample)].join(
        '\n',
      );
    const counter = (name: string, help: string, samples: readonly string[]) =>
      metric('counter', `ics_guard_${name}`, help, samples);
    const gauge = (name: string, help: string, value: number) =>
      metric('gauge', `ics_guard_${name}`, help, [` ${value}`]);
    const reasons = Object.entries(this.passed).map(
      ([why, count]) => `{reason=${JSON.stringify(why)}} ${count}`,
    );
    return [
      ...Object.entries(COUNTERS).map(([name, [metricName, help]]) =>
        counter(metricName, help, [` ${this.counted[name as Counter]}`]),
      ),
      counter('passed_uploads_total', 'Uploads of which an image passed as it came, by the reason.', reasons),
      gauge('held_requests', 'Requests in memory.', held.count),
      gauge('held_bytes', 'Memory that is reserved for them, in bytes.', held.bytes),
      gauge('queued_images', 'Images that wait for a worker.', runner.state().queued),
      '',
    ].join('\n');
  }
}

/** Serves `GET /metrics`, and `GET /health`: 200 if images can be compressed, 503 if all pass as they come. */
export function createMetricsServer(counts: Counts, held: HeldBodies, runner: CompressionRunner): Server {
  return createServer(({ url }, res) => {
    res.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    if (url === '/metrics') return void res.end(counts.metrics(held, runner));
    if (url !== '/health') return void res.writeHead(404).end('There are /metrics and /health.\n');
    const isReady = runner.state().ready > 0;
    res.writeHead(isReady ? 200 : 503).end(isReady ? 'ready\n' : 'No worker: images pass as they come.\n');
  });
}
