/**
 * Worker processes that are there while there is something to compress. They start with the first image, one for each that
 * finds none free, and end when nothing has been compressed for a while. They keep the program alive while an image is in
 * progress and no longer.
 */
import { setMaxListeners } from 'node:events';
import { types } from 'node:util';
import type { EngineName } from '../compression/application/codecs.port';
import type { CompressedImage } from '../compression/domain/compression-report';
import { compressingWith } from '../compression/infrastructure/workers/compressing-workers';
import { WorkerPool } from '../compression/infrastructure/workers/worker-pool';
import type { CompressionSettings } from '../compression/compression.settings';
import { CompressStream } from './compress-stream';
import { AbortError, asCompressionError, InvalidOptionError } from './errors';
import { policyOf, settingsOf, type CompressOptions } from './options';

/** A worker starts in 0.1 s of a core; idle, it takes some 60 MB. */
const IDLE_MS = 5_000;
/** The longest delay that a timer takes. */
const FOREVER_MS = 2 ** 31 - 1;

export interface CompressorOptions {
  /** Images at a time, one in each worker process. Default: the number of cores. */
  readonly workers?: number | undefined;
  /** `native`: compiled codecs. `squoosh`: WebAssembly and JavaScript only, several times slower. Default: `native`. */
  readonly codecEngine?: EngineName | undefined;
  /** CommonJS modules that add formats of results, separated by commas: see docs/adding-a-codec.md. Default: none. */
  readonly formatModules?: string | undefined;
}

/**
 * Compresses with worker processes of its own.
 * @example
 * const compressor = new Compressor({ workers: 1 });
 * const photos = [await readFile('photo.jpg'), await readFile('photo.jpg')];
 * const results = await Promise.all(photos.map((photo) => compressor.compress(photo, { effort: 'fast' })));
 * compressor.close();
 * console.log(results.length); // 2
 */
export class Compressor {
  private readonly settings: CompressionSettings;
  private pool: Promise<WorkerPool> | undefined;
  private inProgress = 0;
  private keepAlive: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  /** @throws InvalidOptionError */
  constructor(options: CompressorOptions = {}) {
    this.settings = settingsOf(options, {
      workers: 'WORKERS',
      codecEngine: 'CODEC_ENGINE',
      formatModules: 'FORMAT_MODULES',
    });
  }

  /** The same as the function `compress`. */
  async compress(bytes: Uint8Array, options: CompressOptions = {}): Promise<CompressedImage> {
    if (!types.isUint8Array(bytes))
      throw new InvalidOptionError('bytes', 'bytes must be a Uint8Array, such as a Buffer.');
    const policy = policyOf(options);
    const signal = options.signal ?? new AbortController().signal;
    if (signal.aborted) throw new AbortError(signal.reason);
    // One signal may stop any number of images, without a warning of Node's.
    setMaxListeners(0, signal);
    this.begin();
    try {
      const pool = await this.running();
      const result = await pool.run(bytes, { policy, signal, deadlineAt: Infinity });
      return { bytes: result.bytes, report: result.report };
    } catch (error) {
      throw asCompressionError(error, options.signal);
    } finally {
      this.end();
    }
  }

  /** The same as the function `compressStream`. */
  compressStream(options: CompressOptions = {}): CompressStream {
    policyOf(options);
    return new CompressStream(
      (bytes, signal) => this.compress(bytes, { ...options, signal }),
      options.signal,
    );
  }

  /** Ends the workers now instead of after 5 s; images in progress are rejected with an AbortError. */
  close(): void {
    clearTimeout(this.idle);
    const { pool } = this;
    this.pool = undefined;
    pool?.then(
      (running) => running.stop(),
      () => undefined,
    );
  }

  private begin(): void {
    clearTimeout(this.idle);
    this.inProgress++;
    this.keepAlive ??= setInterval(() => undefined, FOREVER_MS);
  }

  private end(): void {
    if (--this.inProgress > 0) return;
    clearInterval(this.keepAlive);
    this.keepAlive = undefined;
    this.idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  private running(): Promise<WorkerPool> {
    this.pool ??= this.start().catch((error: unknown) => {
      this.pool = undefined;
      throw error;
    });
    return this.pool;
  }

  private async start(): Promise<WorkerPool> {
    const { engine, formatModules, memory, pool } = this.settings;
    const workers = new WorkerPool({
      ...compressingWith(engine, formatModules),
      workers: pool.workers,
      workersAtStart: 1,
      keepsProcessAlive: false,
      queueLimit: Infinity,
      pixelBytes: memory.pixelBytes,
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
