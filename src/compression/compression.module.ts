/**
 * Wires compression into the service: the worker processes, the memory of uploads, the route and its metrics.
 * The service process itself loads no codec and decodes no pixel.
 */
import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccountsModule } from '../accounts/accounts.module';
import { LOGGER } from '../observability/logging';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { CompressionProbe } from './application/running/compression-probe';
import { CompressionRunner } from './application/running/compression-runner.port';
import { CompressionSettings } from './compression.settings';
import { Admission } from './http/admission';
import { CompressController } from './http/compress.controller';
import { OptionsReader } from './http/compress-options';
import { CompressionMetrics } from './http/compression-metrics';
import { UploadCompression } from './http/upload-compression';
import { compressingWith } from './infrastructure/process/spawn-worker';
import { WorkerPool } from './infrastructure/process/worker-pool';

@Module({
  imports: [AccountsModule, RateLimitModule],
  controllers: [CompressController],
  providers: [
    {
      provide: WorkerPool,
      inject: [CompressionSettings, LOGGER],
      useFactory: (settings: CompressionSettings, logger: Logger) =>
        new WorkerPool({
          ...compressingWith(settings),
          isShared: true,
          queueLimit: settings.pool.queueLimit,
          onSandbox: ({ sandbox: { protection }, summary }) =>
            logger[protection === 'bubblewrap' || settings.sandbox === 'off' ? 'info' : 'warn'](
              { protection },
              summary,
            ),
          onNotice: (notice) => logger.warn(notice),
          onWorkerLost: (cause) =>
            logger.warn({ cause }, 'a worker exited unexpectedly and is being replaced'),
        }),
    },
    { provide: CompressionRunner, useExisting: WorkerPool },
    OptionsReader,
    Admission,
    UploadCompression,
    CompressionMetrics,
    {
      provide: CompressionProbe,
      inject: [CompressionSettings, CompressionRunner],
      useFactory: (settings: CompressionSettings, runner: CompressionRunner) =>
        new CompressionProbe(settings, runner),
    },
  ],
  exports: [CompressionRunner, CompressionProbe, Admission, UploadCompression],
})
export class CompressionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly pool: WorkerPool) {}

  /** Runs before the service listens, so that a worker is ready for the first request. */
  onApplicationBootstrap(): Promise<void> {
    return this.pool.start();
  }

  onApplicationShutdown(): void {
    this.pool.stop();
  }
}
