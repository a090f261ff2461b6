/** The compressor of the library: an object with worker processes of its own. */
import { comparisonPolicy } from '../compression/application/comparing/compare-images';
import { comparisonOf } from '../compression/application/comparing/comparison';
import type { ResultFormats } from '../contract/result-formats';
import type { SandboxMode } from '../compression/application/running/compression-runner.port';
import { checked, checkedComparison, checkedSet, settingsOf } from './check-options';
import { CompressStream } from './compress-stream';
import { CompressedSet, compressToSet } from './compressed-set';
import { readInput, type ImageInput } from './input';
import { LibraryWorkers } from './library-workers';
import type { CompareOptions, CompressOptions, CompressSetOptions } from './options';
import { reportOf, type ComparedImages, type CompressedImage } from './report';

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
  private readonly workers: LibraryWorkers;
  private readonly formats: ResultFormats;

  /** @throws InvalidOptionError */
  constructor(options: CompressorOptions = {}) {
    const settings = settingsOf(
      options,
      {
        workers: 'WORKERS',
        codecEngine: 'CODEC_ENGINE',
        formatModules: 'FORMAT_MODULES',
        sandbox: 'WORKER_SANDBOX',
      },
      { WORKER_SANDBOX: 'off' },
    );
    this.workers = new LibraryWorkers(settings);
    this.formats = settings.resultFormats;
  }

  /**
   * The same as the function `compress`.
   * @throws CompressorClosedError after `close`
   */
  async compress(input: ImageInput, options: CompressOptions = {}): Promise<CompressedImage> {
    const { policy, limits } = checked(options, this.formats);
    return this.workers.during(options.signal, async (signal) => {
      const bytes = await readInput(input, limits, signal);
      const pool = await this.workers.running(signal);
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
    const { policy, limits, wantsMap } = checkedComparison(options, this.formats);
    return this.workers.during(options.signal, async (signal) => {
      const [upload, compared] = await Promise.all([
        readInput(original, limits, signal),
        readInput(image, limits, signal),
      ]);
      const pool = await this.workers.running(signal);
      const { bytes, report } = await pool.run(upload, {
        policy: comparisonPolicy(policy, compared, this.formats),
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
    const { limits, ...set } = checkedSet(input, options, this.formats);
    this.workers.refuseClosed();
    return new CompressedSet((deliver, stopped) => {
      const signals = options.signal ? [options.signal, stopped] : [stopped];
      return this.workers.during(AbortSignal.any(signals), async (signal) => {
        const image = await readInput(input, limits, signal);
        const runner = await this.workers.running(signal);
        return compressToSet({ runner, image, signal }, { ...set, resultFormats: this.formats }, deliver);
      });
    });
  }

  /**
   * The same as the function `compressStream`.
   * @throws CompressorClosedError at once after `close`
   */
  compressStream(options: CompressOptions = {}): CompressStream {
    const { limits } = checked(options, this.formats);
    this.workers.refuseClosed();
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
    this.workers.close();
  }
}
