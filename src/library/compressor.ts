/**
 * Worker processes that are there while there is something to compress. They start with the first image, one for each that
 * finds none free, and end when nothing has been compressed for a while. They keep the program alive while an image is in
 * progress and no longer.
 */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { comparisonPolicy } from '../compression/application/comparing/compare-images';
import { comparisonOf } from '../compression/application/comparing/comparison';
import type { SandboxMode } from '../compression/application/running/compression-runner.port';
import { compressingWith, WORKER_PROCESS } from '../compression/infrastructure/process/compressing-workers';
import { WorkerPool } from '../compression/infrastructure/process/worker-pool';
import type { CompressionSettings } from '../compression/compression.settings';
import { checked, checkedComparison, checkedSet, settingsOf } from './check-options';
import { CompressStream } from './compress-stream';
import { CompressedSet, makeSet } from './compressed-set';
import { AbortError, asCompressionError, CompressorClosedError, EngineError } from './errors';
import { readInput, type ImageInput } from './input';
import type { CompareOptions, CompressOptions, CompressSetOptions } from './options';
import { reportOf, type ComparedImages, type CompressedImage } from './report';

/** A worker starts in 0.1 s of a core; idle, it takes some 60 MB. */
const IDLE_MS = 5_000;
/** The longest delay that a timer takes. */
const FOREVER_MS = 2 ** 31 - 1;
/** Workers run files of the package, which are not in a bundle. */
const BUNDLED =
  `The script of the workers, ${WORKER_PROCESS}, does not exist. ` +
  'If this program is bundled, leave the package out of the bundle: esbuild --external:image-compression-service.';

export interface CompressorOptions {
  /** Images at a time, one in each worker process. Default: the number of cores. */
  readonly workers?: number | undefined;
  /**
   * `native`: compiled codecs. `squoosh`: WebAssembly and JavaScript only, several times slower. Or a package, by name or path:
   * see docs/adding-a-codec.md. Default: `native`.
   */
  readonly codecEngine?: 'native' | 'squoosh' | (string & {}) | undefined;
  /** Packages that add formats of results, by name or path: see docs/adding-a-codec.md. Default: none. */
  readonly formatModules?: string | readonly string[] | undefined;
  /**
   * Keeps workers from files, processes and the network. `auto`: as far as this machine allows; `required`: with bubblewrap, or
   * nothing is compressed (`engine_unavailable`). Linux only. Default: `off`.
   */
  readonly sandbox?: SandboxMode | undefined;
}

/**
 * Compresses with worker processes of its own.
 * @example
 * const compressor = new Compressor({ workers: 1 });
 * const names = ['photo.jpg', 'photo.jpg'];
 * const results = await Promise.all(names.map((name) => compressor.compress(name, { effort: 'fast' })));
 * compressor.close();
 * console.log(results.length); // 2
 */
export class Compressor {
  private readonly settings: CompressionSettings;
  private pool: Promise<WorkerPool> | undefined;
  /** One for each image from the call to its result. */
  private readonly inProgress = new Set<AbortController>();
  private isClosed = false;
  private keepAlive: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  /** @throws InvalidOptionError */
  constructor(options: CompressorOptions = {}) {
    this.settings = settingsOf(
      options,
      {
        workers: 'WORKERS',
        codecEngine: 'CODEC_ENGINE',
        formatModules: 'FORMAT_MODULES',
        sandbox: 'WORKER_SANDBOX',
      },
      { WORKER_SANDBOX: 'off' },
    );
  }

  /**
   * The same as the function `compress`.
   * @throws CompressorClosedError after `close`
   */
  async compress(input: ImageInput, options: CompressOptions = {}): Promise<CompressedImage> {
    const { policy, limits } = checked(options);
    return this.during(options.signal, async (signal) => {
      const bytes = await readInput(input, limits, signal);
      const pool = await this.running(signal);
      const result = await pool.run(bytes, { policy, signal, deadlineAt: Infinity });
      return { bytes: result.bytes, report: reportOf(result.report) };
    });
  }

  /**
   * The same as the function `compare`.
   * @throws CompressorClosedError after `close`
   */
  async compare(
    original: ImageInput,
    image: ImageInput,
    options: CompareOptions = {},
  ): Promise<ComparedImages> {
    const { policy, limits, wantsMap } = checkedComparison(options);
    return this.during(options.signal, async (signal) => {
      const [upload, compared] = await Promise.all([
        readInput(original, limits, signal),
        readInput(image, limits, signal),
      ]);
      const pool = await this.running(signal);
      const { bytes, report } = await pool.run(upload, {
        policy: comparisonPolicy(policy, compared),
        compared: { image: compared, wantsMap },
        signal,
        deadlineAt: Infinity,
      });
      return { ...comparisonOf(report), ...(wantsMap ? { map: bytes } : {}) };
    });
  }

  /**
   * The same as the function `compressSet`.
   * @throws CompressorClosedError at once after `close`
   */
  compressSet(input: ImageInput, options: CompressSetOptions): CompressedSet {
    const { limits, ...set } = checkedSet(input, options);
    if (this.isClosed) throw new CompressorClosedError();
    return new CompressedSet((deliver, stopped) => {
      const signals = options.signal ? [options.signal, stopped] : [stopped];
      return this.during(AbortSignal.any(signals), async (signal) => {
        const image = await readInput(input, limits, signal);
        return makeSet({ runner: await this.running(signal), image, signal }, set, deliver);
      });
    });
  }

  /**
   * The same as the function `compressStream`.
   * @throws CompressorClosedError at once after `close`
   */
  compressStream(options: CompressOptions = {}): CompressStream {
    const { limits } = checked(options);
    if (this.isClosed) throw new CompressorClosedError();
    return new CompressStream(
      (bytes, signal) => this.compress(bytes, { ...options, signal }),
      limits.read,
      options.signal,
    );
  }

  /**
   * Ends the workers now instead of after 5 s. Images in progress are rejected with an AbortError, later calls with a
   * CompressorClosedError. Closing again has no effect.
   */
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

  /** @throws CompressionError */
  private async during<T>(
    stop: AbortSignal | undefined,
    use: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.isClosed) throw new CompressorClosedError();
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

  /** @throws AbortError */
  private running(signal: AbortSignal): Promise<WorkerPool> {
    if (signal.aborted) throw new AbortError(signal.reason);
    this.pool ??= this.start().catch((error: unknown) => {
      this.pool = undefined;
      throw error;
    });
    return this.pool;
  }

  private async start(): Promise<WorkerPool> {
    if (!existsSync(WORKER_PROCESS)) throw new EngineError('engine_unavailable', BUNDLED);
    const { engine, formatModules, memory, pool, sandbox } = this.settings;
    const workers = new WorkerPool({
      ...compressingWith(engine, formatModules, sandbox),
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
