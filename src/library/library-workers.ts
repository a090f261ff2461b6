/**
 * Worker processes that are there while there is something to compress. They start with the first image, one for each that
 * finds none free, and end when nothing has been compressed for a while. They keep the program alive while an image is in
 * progress and no longer.
 */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import type { CompressionSettings } from '../compression/compression.settings';
import { compressingWith, WORKER_PROCESS } from '../compression/infrastructure/process/spawn-worker';
import { WorkerPool } from '../compression/infrastructure/process/worker-pool';
import { AbortError, asCompressionError, CompressorClosedError, EngineError } from './errors';

/** A worker starts in 0.1 s of a core; idle, it takes some 60 MB. */
const IDLE_MS = 5_000;
/** The longest delay that a timer takes. */
const FOREVER_MS = 2 ** 31 - 1;
/** Workers run files of the package, which are not in a bundle. */
const BUNDLED =
  `The script of the workers, ${WORKER_PROCESS}, does not exist. ` +
  'If this program is bundled, leave the package out of the bundle: esbuild --external:image-compression-service.';

export class LibraryWorkers {
  private pool: Promise<WorkerPool> | undefined;
  /** One for each image from the call to its result. */
  private readonly inProgress = new Set<AbortController>();
  private isClosed = false;
  private keepAlive: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly settings: CompressionSettings) {}

  /** @throws CompressorClosedError after `close` */
  refuseClosed(): void {
    if (this.isClosed) throw new CompressorClosedError();
  }

  /** Aborts all images in progress and ends the workers. Closing again has no effect. */
  close(): void {
    this.isClosed = true;
    for (const work of this.inProgress) work.abort(new CompressorClosedError());
    this.endWorkers();
  }

  private endWorkers(): void {
    clearTimeout(this.idle);
    const { pool } = this;
    this.pool = undefined;
    pool?.then(
      (running) => running.stop(),
      () => undefined,
    );
  }

  /**
   * Keeps the program alive while an image is in progress.
   * @param stop the signal of the caller; the one that `use` gets is also aborted by `close`
   * @throws CompressionError
   */
  async during<T>(stop: AbortSignal | undefined, use: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.refuseClosed();
    const work = this.begin();
    const abort = () => work.abort(stop?.reason);
    if (stop) {
      // One signal may stop any number of images, without a warning of Node's.
      setMaxListeners(0, stop);
      stop.addEventListener('abort', abort, { once: true });
      if (stop.aborted) abort();
    }
    try {
      return await use(work.signal);
    } catch (error) {
      throw asCompressionError(error, work.signal);
    } finally {
      stop?.removeEventListener('abort', abort);
      this.end(work);
    }
  }

  private begin(): AbortController {
    clearTimeout(this.idle);
    const work = new AbortController();
    this.inProgress.add(work);
    this.keepAlive ??= setInterval(() => undefined, FOREVER_MS);
    return work;
  }

  private end(work: AbortController): void {
    this.inProgress.delete(work);
    if (this.inProgress.size > 0) return;
    clearInterval(this.keepAlive);
    this.keepAlive = undefined;
    if (!this.isClosed) this.idle = setTimeout(() => this.endWorkers(), IDLE_MS).unref();
  }

  /**
   * Returns the workers; starts the first one if there is none.
   * @throws AbortError
   */
  running(signal: AbortSignal): Promise<WorkerPool> {
    if (signal.aborted) throw new AbortError(signal.reason);
    this.pool ??= this.start().catch((error: unknown) => {
      this.pool = undefined;
      throw error;
    });
    return this.pool;
  }

  private async start(): Promise<WorkerPool> {
    if (!existsSync(WORKER_PROCESS)) throw new EngineError('engine_unavailable', BUNDLED);
    const { memory, pool, sandbox } = this.settings;
    const workers = new WorkerPool({
      ...compressingWith(this.settings),
      workers: pool.workers,
      workersAtStart: 1,
      keepsProcessAlive: false,
      queueLimit: Infinity,
      pixelBytes: memory.pixelBytes,
      onSandbox: ({ sandbox: { protection }, summary }) => {
        if (sandbox === 'auto' && protection !== 'bubblewrap') process.emitWarning(summary);
      },
      onNotice: (notice) => process.emitWarning(notice),
    });
    try {
      await workers.start();
    } catch (error) {
      workers.stop();
      throw error;
    }
    return workers;
  }
}
