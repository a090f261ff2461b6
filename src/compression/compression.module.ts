import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccountsModule } from '../accounts/accounts.module';
import { LOGGER } from '../observability/logging';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { CompressionProbe } from './application/running/compression-probe';
import { CompressionRunner } from './application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from './compression.settings';
import { CompareController, CompressController, SetsController } from './http/compression.controllers';
import { SetCompression } from './http/set-compression';
import { CompressionMetrics } from './http/compression-metrics';
import { UploadBudget } from './http/upload-budget';
import { UploadCompression } from './http/upload-compression';
import { compressingWith } from './infrastructure/process/spawn-worker';
import { WorkerPool } from './infrastructure/process/worker-pool';
import { SettingsFault } from '../environment/settings-slice';
import { buildId } from '../environment/version';
import { RememberingRunner } from './application/running/remembering-runner';
import type { ResultStore } from './application/running/result-store.port';
import { FolderResultStore } from './infrastructure/remembered/folder-result-store';
import { MemoryResultStore } from './infrastructure/remembered/memory-result-store';

@Module({
  imports: [AccountsModule, RateLimitModule],
  controllers: [CompressController, CompareController, SetsController],
  providers: [
    {
      provide: WorkerPool,
      inject: [COMPRESSION_SETTINGS, LOGGER],
      useFactory: (settings: CompressionSettings, logger: Logger) =>
        new WorkerPool({
          ...compressingWith(settings),
          workers: settings.pool.workers,
          isShared: true,
          queueLimit: settings.pool.queueLimit,
          pixelBytes: settings.memory.pixelBytes,
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
    {
      provide: CompressionRunner,
      inject: [WorkerPool, COMPRESSION_SETTINGS, LOGGER],
      useFactory: (pool: WorkerPool, settings: CompressionSettings, logger: Logger) =>
        settings.cache ? remembering(pool, settings, settings.cache, logger) : pool,
    },
    UploadBudget,
    UploadCompression,
    SetCompression,
    CompressionMetrics,
    {
      provide: CompressionProbe,
      inject: [COMPRESSION_SETTINGS, CompressionRunner],
      useFactory: (settings: CompressionSettings, runner: CompressionRunner) =>
        new CompressionProbe(settings, runner),
    },
  ],
  exports: [CompressionRunner, CompressionProbe, UploadBudget, UploadCompression],
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

type CacheSettings = NonNullable<CompressionSettings['cache']>;

/** @throws SettingsFault when the folder cannot be used */
async function remembering(
  pool: WorkerPool,
  { engine, formatModules }: Pick<CompressionSettings, 'engine' | 'formatModules'>,
  settings: CacheSettings,
  logger: Logger,
): Promise<CompressionRunner> {
  const store = await storeFor(settings, logger);
  const build = buildId();
  const codecs = [engine.package?.digest ?? engine.name, ...formatModules.map(({ digest }) => digest)];
  // A worker that uses a fallback codec gives other results.
  return new RememberingRunner(pool, store, () => [...codecs, build, ...pool.notices]);
}

async function storeFor({ bytes, folder }: CacheSettings, logger: Logger): Promise<ResultStore> {
  if (folder === undefined) return new MemoryResultStore(bytes);
  try {
    return await FolderResultStore.open(folder, bytes, (err) =>
      logger.warn({ err }, 'a result could not be read from CACHE_DIR or written to it'),
    );
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new SettingsFault([
      { variable: 'CACHE_DIR', value: folder, rule: `cannot be written to (${code})` },
    ]);
  }
}
