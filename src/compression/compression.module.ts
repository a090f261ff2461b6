import { join } from 'node:path';
import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccountsModule } from '../accounts/accounts.module';
import { LOGGER } from '../operations/logging';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { SETTINGS, type Settings } from '../settings/settings';
import { CompressionProbe } from './application/compression-probe';
import { CompressionRunner } from './application/compression-runner.port';
import { CompressController } from './http/compress.controller';
import { UploadBudget } from './http/upload-budget';
import { WorkerPool } from './infrastructure/workers/worker-pool';

const WORKER_ENTRY = join(__dirname, 'infrastructure', 'workers', 'worker-process.js');

@Module({
  imports: [AccountsModule, RateLimitModule],
  controllers: [CompressController],
  providers: [
    {
      provide: WorkerPool,
      inject: [SETTINGS, LOGGER],
      useFactory: ({ pool, memory, codecEngine }: Settings, logger: Logger) =>
        new WorkerPool({
          entry: [WORKER_ENTRY, codecEngine],
          workers: pool.workers,
          queueLimit: pool.queueLimit,
          pixelBytes: memory.pixelBytes,
          onWorkerLost: (cause) => logger.warn({ cause }, 'a worker ended and is being replaced'),
        }),
    },
    { provide: CompressionRunner, useExisting: WorkerPool },
    UploadBudget,
    CompressionProbe,
  ],
  exports: [CompressionRunner, CompressionProbe, UploadBudget],
})
export class CompressionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly pool: WorkerPool) {}

  /** Before the service listens: who gets a connection gets a worker. */
  onApplicationBootstrap(): Promise<void> {
    return this.pool.start();
  }

  onApplicationShutdown(): void {
    this.pool.stop();
  }
}
