/**
 * The Prometheus registry and its server. Names have base units (seconds, bytes), and counters end in
 * `_total`. Label values come from closed sets, never from clients, who could otherwise fill the memory with
 * series.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { LOGGER } from './logging';
import { ObservabilitySettings } from './observability.settings';

/** Buckets for durations, in seconds. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Capabilities declare their metrics with it; docs/operating.md explains them. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ ...this.named(name, help), labelNames });
  }

  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ ...this.named(name, help), buckets, labelNames });
  }

  /** Adds a gauge; `read` returns its value at each scrape. */
  gauge(name: string, help: string, read: () => number) {
    new Gauge({
      ...this.named(name, help),
      collect() {
        this.set(read());
      },
    });
  }

  /** Adds a gauge that is 1 for one of several words, and 0 for the others. */
  state(
    name: string,
    help: string,
    [label, words]: readonly [label: string, words: readonly string[]],
    read: () => string,
  ) {
    new Gauge({
      ...this.named(name, help),
      labelNames: [label],
      collect() {
        for (const word of words) this.set({ [label]: word }, word === read() ? 1 : 0);
      },
    });
  }

  /** Adds a counter; `read` returns its value at each scrape. The value must never decrease. */
  total(name: string, help: string, read: () => number) {
    new Counter({
      ...this.named(name, help),
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  private named(name: string, help: string) {
    return { name: `ics_${name}`, help, registers: [this.registry] };
  }
}

/** Longer than scrape intervals (15 to 60 s), so that no scrape is sent to a connection that is just closing. */
const KEEP_ALIVE_MS = 72_000;

/** Serves `GET /metrics` on a separate port and address, so that clients of the service cannot reach it. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly settings: ObservabilitySettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost } = this.settings;
    if (metricsPort === undefined) return;
    const { registry } = this.metrics;
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
      res.setHeader('X-Content-Type-Options', 'nosniff').setHeader('Cache-Control', 'no-store');
      if (req.url !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
        res.writeHead(404, { 'Content-Type': 'text/plain' }).end('The metrics are at GET /metrics.\n');
        return;
      }
      registry.metrics().then(
        (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => res.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(metricsPort, metricsHost, resolve);
    });
    this.server = server;
    this.logger.info({ port: (server.address() as AddressInfo).port }, 'metrics');
  }

  onApplicationShutdown() {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
