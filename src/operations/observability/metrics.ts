/**
 * What the service counts, in the Prometheus manner: base units (seconds, bytes), `_total` for what only grows. Every
 * metric is explained in docs/operating.md. Labels are closed sets; nothing of a caller's gets into one.
 */
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunResult } from '../../compression/application/compression-runner.port';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUALITIES = [30, 40, 50, 60, 70, 75, 80, 85, 90, 95];
const SCORES = [0.98, 0.985, 0.99, 0.9914, 0.9925, 0.995, 0.9975, 0.9999];

@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = this.counter('http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
    'code',
  ]);
  private readonly requestSeconds = this.histogram(
    'http_request_duration_seconds',
    'From the head of a request to the end of its answer, upload included.',
    SECONDS,
    ['route'],
  );
  private readonly images = this.counter('images_total', 'Images answered with 200.', ['format', 'outcome']);
  private readonly bytes = this.counter('image_bytes_total', 'Bytes of those images.', ['format', 'kind']);
  private readonly queueSeconds = this.histogram('queue_seconds', 'Waiting for a worker.', SECONDS);
  private readonly stageSeconds = this.histogram(
    'stage_seconds',
    'Work on an image, by stage of the recipe.',
    SECONDS,
    ['format', 'stage'],
  );
  private readonly qualities = this.histogram('jpeg_quality', 'Quality of compressed JPEGs.', QUALITIES);
  private readonly scores = this.histogram('score', 'Score of compressed images.', SCORES, ['format']);
  private readonly encodes = this.histogram(
    'encodes',
    'Whole encodes for an image.',
    [0, 1, 2, 3, 5, 8],
    ['format'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param route the pattern that matched, never the path itself */
  request(answer: { method: string; route: string; status: number; code: string; seconds: number }): void {
    const { seconds, ...labels } = answer;
    this.requests.inc({ ...labels, status: String(labels.status) });
    this.requestSeconds.observe({ route: labels.route }, seconds);
  }

  image({ report, queueMs }: Pick<RunResult, 'report' | 'queueMs'>): void {
    const { format, skipReason, quality, score, originalSize, compressedSize, bytesSaved } = report;
    this.images.inc({ format, outcome: skipReason ?? 'compressed' });
    this.bytes.inc({ format, kind: 'in' }, originalSize);
    this.bytes.inc({ format, kind: 'out' }, compressedSize);
    this.bytes.inc({ format, kind: 'saved' }, bytesSaved);
    this.queueSeconds.observe(queueMs / 1000);
    for (const [stage, ms] of Object.entries(report.timings)) {
      this.stageSeconds.observe({ format, stage }, ms / 1000);
    }
    this.encodes.observe({ format }, report.encodes);
    if (quality !== undefined) this.qualities.observe(quality);
    if (!skipReason) this.scores.observe({ format }, score);
  }

  /** A value that is read whenever somebody looks. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `ics_${name}`,
      help,
      registers: [this.registry],
      collect: () => {
        gauge.set(read());
      },
    });
  }

  /** The same for what only grows. */
  total(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name: `ics_${name}`,
      help,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  private counter(name: string, help: string, labelNames: string[] = []) {
    return new Counter({ name: `ics_${name}`, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets: number[], labelNames: string[] = []) {
    return new Histogram({ name: `ics_${name}`, help, buckets, labelNames, registers: [this.registry] });
  }
}
