/**
 * The library's compressor: the recipes of the service in worker processes of the caller's program, without
 * server, accounts or database.
 */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { comparisonPolicy } from '../compression/application/comparing/compare-images';
import { describeComparison } from '../compression/application/comparing/comparison';
import type { SandboxMode } from '../compression/application/running/compression-runner.port';
import type { ImageTask, ResultOf } from '../compression/application/running/task';
import { makeSet } from '../sets/make-set';
import type { CompressionSettings } from '../compression/compression.settings';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import { compressingWith, WORKER_PROCESS } from '../compression/infrastructure/process/spawn-worker';
import { WorkerPool } from '../compression/infrastructure/process/worker-pool';
import type { Problem } from '../contract/problem';
import { anObject, checked, checkedComparison, checkedSet, readSettings } from './check-options';
import { CompressStream } from './compress-stream';
import { CompressedSet } from './compressed-set';
import { asCompressionError, CompressorClosedError, EngineError } from './errors';
import { readInput, type ImageInput } from './input';
import type { CompareOptions, CompressOptions, CompressSetOptions } from './options';
import { describeReport, type ComparedImages, type CompressedImage } from './report';

export interface CompressorOptions {
  /** Images at a time, each in a worker process. Default: the number of cores. */
  readonly workers?: number | undefined;
  /** `native` (default), `squoosh` (WebAssembly and JavaScript only, several times slower), or a package by name or path. */
  readonly codecEngine?: 'native' | 'squoosh' | (string & {}) | undefined;
  /** Packages that add formats of results, by name or path. Default: none. */
  readonly formatModules?: string | readonly string[] | undefined;
  /** Keeps workers from files and the network: `auto`, as far as possible, or `required`. Linux only. Default: `off`. */
  readonly sandbox?: SandboxMode | undefined;
}

/** Results come through a pipe, or are the input. */
interface Unshared {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const SETTING_OF = {
  workers: 'WORKERS',
  codecEngine: 'CODEC_ENGINE',
  formatModules: 'FORMAT_MODULES',
  sandbox: 'WORKER_SANDBOX',
};
/** Workers end when idle for this long. One starts in 0.1 s of a core and takes some 60 MB. */
const IDLE_MS = 5_000;
const FOREVER_MS = 2 ** 31 - 1;
const BUNDLED =
  `The script of the workers, ${WORKER_PROCESS}, does not exist. ` +
  'If this program is bundled, make image-compression-service an external of the bundler: ' +
  'serverExternalPackages in Next.js, --external:image-compression-service in esbuild.';

/** Has worker processes of its own. They start with the first image, and keep the program alive while one is in progress. */
export class Compressor {
  private readonly settings: CompressionSettings;
  private pool: Promise<WorkerPool> | undefined;
  /** One for each call in progress, so that `close` can stop all. */
  private readonly inProgress = new Set<AbortController>();
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: CompressorOptions = {}) {
    this.settings = readSettings(options, SETTING_OF, { WORKER_SANDBOX: 'off' });
  }

  async compress(input: ImageInput, options: CompressOptions = {}): Promise<CompressedImage> {
    const { policy, limits } = checked(options, this.settings.knownFormats);
    return this.during([options.signal], async (signal) => {
      const image = await readInput(input, limits, signal);
      const { bytes, report } = await this.run({ kind: 'compress', image, policy }, signal);
      return { bytes, report: describeReport(report) };
    });
  }

  async compare(
    original: ImageInput,
    image: ImageInput,
    options: CompareOptions = {},
  ): Promise<ComparedImages> {
    const { knownFormats } = this.settings;
    const { policy, limits, wantsMap } = checkedComparison(options, knownFormats);
    return this.during([options.signal], async (signal) => {
      const inputs = [original, image].map((input) => readInput(input, limits, signal));
      const [upload, compared] = await Promise.all(inputs);
      const within = comparisonPolicy(policy, compared, knownFormats);
      const task = { kind: 'compare', image: upload, compared, policy: within, wantsMap } as const;
      const { bytes, report } = await this.run(task, signal);
      return { ...describeComparison(report), ...(wantsMap && { map: bytes }) };
    });
  }

  compressSet(input: ImageInput, options: CompressSetOptions): CompressedSet {
    const { knownFormats } = this.settings;
    const { limits, policy, options: sizes } = checkedSet(input, options, knownFormats);
    this.refuseClosed();
    return new CompressedSet((deliver, stopped) =>
      this.during([options.signal, stopped], async (signal) => {
        const image = await readInput(input, limits, signal);
        const compress = (one: CompressionPolicy) =>
          this.run({ kind: 'compress', image, policy: one }, signal);
        let first: Problem | undefined;
        const description = await makeSet(image, {
          options: sizes,
          policy,
          knownFormats,
          compress,
          make: async ({ name, policy: one }) => {
            const { bytes, report } = await compress(one);
            deliver({ name, bytes, report: describeReport(report) });
            return report;
          },
          failed: (_, problem) => (first ??= problem),
        });
        if (first && description.files.length === 0) throw first;
        // The files that were finished before the caller stopped are no whole set.
        signal.throwIfAborted();
        return description;
      }),
    );
  }

  compressStream(given: CompressOptions = {}): CompressStream {
    const options = anObject(given);
    const { limits } = checked(options, this.settings.knownFormats);
    this.refuseClosed();
    const compress = (bytes: Uint8Array, signal: AbortSignal) => this.compress(bytes, { ...options, signal });
    const stream = new CompressStream(compress, limits.read, options.signal);
    return options.signal ? addAbortSignal(options.signal, stream) : stream;
  }

  /** Ends the workers at once. Images in progress are rejected with an AbortError, later calls with a CompressorClosedError. */
  close() {
    this.isClosed = true;
    for (const work of this.inProgress) work.abort(new CompressorClosedError());
    this.endWorkers();
  }

  private refuseClosed() {
    if (this.isClosed) throw new CompressorClosedError();
  }

  /** Keeps the program alive while `use` runs; its signal is aborted by `stops` and by `close`. @throws CompressionError */
  private async during<T>(
    stops: readonly (AbortSignal | undefined)[],
    use: (signal: AbortSignal) => Promise<T>,
  ) {
    this.refuseClosed();
    const work = new AbortController();
    const ended = new AbortController();
    const { signal } = work;
    // Each file of a set listens to it.
    setMaxListeners(0, signal);
    // Unlike AbortSignal.any, this leaves nothing behind at a signal that stops many images.
    for (const stop of stops.filter((one) => one !== undefined)) {
      setMaxListeners(0, stop);
      stop.addEventListener('abort', () => work.abort(stop.reason), { signal: ended.signal });
      if (stop.aborted) work.abort(stop.reason);
    }
    this.inProgress.add(work);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => undefined, FOREVER_MS);
    try {
      return await use(signal);
    } catch (error) {
      throw asCompressionError(error, signal);
    } finally {
      ended.abort();
      this.inProgress.delete(work);
      if (this.inProgress.size === 0) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.endWorkers(), IDLE_MS).unref();
      }
    }
  }

  private async run<T extends ImageTask>(task: T, signal: AbortSignal): Promise<ResultOf<T> & Unshared> {
    signal.throwIfAborted();
    this.pool ??= startWorkers(this.settings).catch((error: unknown) => {
      this.pool = undefined;
      throw error;
    });
    const pool = await this.pool;
    return pool.run(task, { signal, deadlineAt: Infinity }) as Promise<ResultOf<T> & Unshared>;
  }

  private endWorkers() {
    this.pool?.then((running) => running.stop()).catch(() => undefined);
    this.pool = undefined;
  }
}

async function startWorkers(settings: CompressionSettings) {
  if (!existsSync(WORKER_PROCESS)) throw new EngineError('engine_unavailable', BUNDLED);
  const workers = new WorkerPool({
    ...compressingWith(settings),
    workersAtStart: 1,
    keepsProcessAlive: false,
    queueLimit: Infinity,
    onSandbox: ({ sandbox: { protection }, summary }) => {
      if (settings.sandbox === 'auto' && protection !== 'bubblewrap') process.emitWarning(summary);
    },
    onNotice: (notice) => process.emitWarning(notice),
  });
  try {
    await workers.start();
    return workers;
  } catch (error) {
    workers.stop();
    throw error;
  }
}
