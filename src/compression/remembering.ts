/** Adds remembered results in front of the workers, if CACHE_MB is set. */
import type { Logger } from 'pino';
import { SettingsFault } from '../environment/read-variables';
import { buildId } from '../environment/version';
import type { CompressionRunner } from './application/running/compression-runner.port';
import { RememberingRunner } from './application/running/remembering-runner';
import type { ResultStore } from './application/running/result-store.port';
import { FolderResultStore } from './infrastructure/remembered/folder-result-store';
import { MemoryResultStore } from './infrastructure/remembered/memory-result-store';
import type { CompressionSettings } from './compression.settings';
import type { WorkerPool } from './infrastructure/process/worker-pool';

type CacheSettings = NonNullable<CompressionSettings['cache']>;

/** @throws SettingsFault when the folder cannot be used */
export async function remembering(
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
