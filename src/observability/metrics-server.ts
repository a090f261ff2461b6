/** Serves `GET /metrics` on a separate port and address, so that clients of the service cannot reach it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logging';
import { Metrics } from './metrics';
import { OBSERVABILITY_SETTINGS, type ObservabilitySettings } from './observability.settings';

/**
 * Longer than the scrape intervals of Prometheus, typically 15 to 60 s. With Node's 5 s, each scrape would open a connection, and a
 * client that asks again after 5 s could send to a connection that is just closing.
 */
const KEEP_ALIVE_MS = 72_000;

@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(OBSERVABILITY_SETTINGS) private readonly settings: ObservabilitySettings,
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

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
