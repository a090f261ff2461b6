/** `GET /metrics` on a port of its own: what the service knows about itself is not for its callers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CompressionRunner } from '../../compression/application/compression-runner.port';
import { UploadBudget } from '../../compression/http/upload-budget';
import { LimitStorage } from '../../rate-limit/limit-storage';
import { SETTINGS, type Settings } from '../../settings/settings';
import { Lifecycle } from '../lifecycle';
import { LOGGER } from '../logging';
import { Metrics } from './metrics';

@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
    runner: CompressionRunner,
    uploads: UploadBudget,
    limits: LimitStorage,
    lifecycle: Lifecycle,
  ) {
    const { pool, memory } = settings;
    metrics.gauge('workers', 'Worker processes wanted.', () => pool.workers);
    metrics.gauge('workers_ready', 'Workers that can take images.', () => runner.state().ready);
    metrics.gauge('workers_busy', 'Workers with an image.', () => runner.state().busy);
    metrics.total('workers_lost_total', 'Workers that ended on their own.', () => {
      return runner.state().workersLost;
    });
    metrics.gauge('queue_depth', 'Images waiting for a worker.', () => runner.state().queued);
    metrics.gauge('queue_limit', 'Images that may wait.', () => pool.queueLimit);
    metrics.gauge('upload_memory_bytes', 'Claimed by uploads and results.', () => uploads.memory.usedBytes);
    metrics.gauge('upload_memory_limit_bytes', 'For uploads and results.', () => memory.uploadBytes);
    metrics.gauge('pixel_memory_bytes', 'Claimed by images in work.', () => runner.state().pixelBytes);
    metrics.gauge('pixel_memory_limit_bytes', 'For images in work.', () => memory.pixelBytes);
    metrics.gauge('rate_limit_fallback', '1 while Redis is away and this process counts for itself.', () => {
      return limits.store === 'memory, while redis is away' ? 1 : 0;
    });
    metrics.gauge('requests_in_flight', 'Requests not answered yet.', () => lifecycle.requestsInFlight);
    metrics.gauge('draining', '1 while the process is stopping.', () => (lifecycle.isStopping ? 1 : 0));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, host } = this.settings;
    if (metricsPort === undefined) return;
    const { registry } = this.metrics;
    const server = createServer((req, res) => {
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
      server.listen(metricsPort, host, resolve);
    });
    this.server = server;
    this.logger.info({ port: (server.address() as AddressInfo).port }, 'metrics');
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
