/** Compresses the same bytes under the same policy once: results are remembered, and simultaneous uploads share one compression. */
import { mayHaveFormat } from '../../domain/compression-policy';
import type { CompressedImage } from '../../domain/compression-report';
import { readAcceptedHeader } from '../../formats/image-header';
import {
  CompressionRunner,
  type RunnerState,
  type RunOptions,
  type RunResult,
  type RunSetOptions,
} from './compression-runner.port';
import { digestOf, resultKey } from './digest';
import type { ResultStore } from './result-store.port';
import { SharedRun, type SharedResult } from './shared-run';

const NOTHING = new Uint8Array();
const NO_TIME = { decode: 0, search: 0, encode: 0, verify: 0 };
/** Maximum number of results being saved: they take memory outside any budget, so further ones are not remembered. */
const MAX_SAVES = 8;

export class RememberingRunner extends CompressionRunner {
  private readonly runs = new Map<string, SharedRun>();
  private saves = 0;

  /** @param engine identifies the compressing code; called for each image */
  constructor(
    private readonly inner: CompressionRunner,
    private readonly store: ResultStore,
    private readonly engine: () => readonly string[],
  ) {
    super();
  }

  hasPlaceFor(account: string): boolean {
    return this.inner.hasPlaceFor(account);
  }

  state(): RunnerState {
    return this.inner.state();
  }

  /** Results of sets are not remembered. */
  runSet(image: Uint8Array, options: RunSetOptions): Promise<void> {
    return this.inner.runSet(image, options);
  }

  async run(image: Uint8Array, options: RunOptions): Promise<RunResult> {
    // A probe must reach the workers. Comparisons are not remembered.
    if (options.isUrgent || options.compared) return this.inner.run(image, options);
    const header = readAcceptedHeader(image, options.policy.maxPixels);
    const key = resultKey((await digestOf(image)).toString('hex'), options.policy, this.engine());
    for (;;) {
      const joinedAt = performance.now();
      const known = this.runs.get(key);
      const result = known ? await known.join(options) : await this.open(key, image, { ...options, header });
      if (result === 'try again') continue;
      if (!known && !result.isFound) return ownResult(result, image);
      return rememberedResult(result, image, known ? performance.now() - joinedAt : 0);
    }
  }

  private open(key: string, image: Uint8Array, options: RunOptions): Promise<SharedResult | 'try again'> {
    const run: SharedRun = new SharedRun(() => this.close(key, run));
    const result = run.join(options, true);
    this.runs.set(key, run);
    void this.findOrCompress(key, image, options, run).catch((error: unknown) => {
      this.close(key, run);
      run.fail(error as Error);
    });
    return result;
  }

  private async findOrCompress(
    key: string,
    image: Uint8Array,
    { policy, header, deadlineAt, account }: RunOptions,
    run: SharedRun,
  ): Promise<void> {
    const admit = (bytes: number) => run.admit(bytes);
    const found = await this.store.find(key, admit);
    // Others may write to the store.
    if (found && mayHaveFormat(found.report.format, header?.format, policy)) {
      this.close(key, run);
      run.succeed({ ...found, queueMs: 0, isFound: true });
      return;
    }
    const { signal } = run;
    const onStarted = () => run.started();
    const ours = { policy, header, deadlineAt, account, signal, onStarted, onResultSize: admit };
    const result = await this.inner.run(image, ours);
    run.succeed(result);
    await this.save(key, result);
    this.close(key, run);
  }

  private async save(key: string, { bytes, report }: CompressedImage): Promise<void> {
    if (this.saves >= MAX_SAVES) return;
    this.saves++;
    await this.store
      .save(key, { report, bytes: report.skipReason ? NOTHING : bytes })
      .finally(() => this.saves--);
  }

  private close(key: string, run: SharedRun): void {
    if (this.runs.get(key) === run) this.runs.delete(key);
  }
}

function ownResult(result: SharedResult, image: Uint8Array): RunResult {
  return { ...result, bytes: result.report.skipReason ? image : result.bytes };
}

/** Returns a report whose stages took no time, because nothing was compressed. */
function rememberedResult({ bytes, report }: SharedResult, image: Uint8Array, queueMs: number): RunResult {
  return {
    bytes: report.skipReason ? image : bytes,
    report: { ...report, timings: NO_TIME, encodes: 0 },
    queueMs,
    isRemembered: true,
  };
}
