/** A set in the library: its files as they are finished, then its description. */
import { makeSet, planSetOf, type SetDescription } from '../compression/application/sets/make-set';
import type { CompressionRunner } from '../compression/application/running/compression-runner.port';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import type { SetOptions } from '../compression/domain/sets/set-plan';
import type { Problem } from '../contract/problem';
import type { ResultFormats } from '../contract/result-formats';
import { reportOf, type CompressedImage } from './report';

/** A file of a set. */
export interface CompressedSetFile extends CompressedImage {
  /** Such as `photo-480.avif`, or `photo-480@2x.avif` for a density of 2. */
  readonly name: string;
}

type Deliver = (file: CompressedSetFile) => void;

/** Yields the files of a set as soon as they are finished. Leaving the loop stops the work. */
export class CompressedSet implements AsyncIterable<CompressedSetFile> {
  /** The files, the widths that were left out, failures, and the markup. Settles after the last file. */
  readonly description: Promise<SetDescription>;
  private readonly files: ReadableStream<CompressedSetFile>;

  constructor(start: (deliver: Deliver, stopped: AbortSignal) => Promise<SetDescription>) {
    const stop = new AbortController();
    let controller!: ReadableStreamDefaultController<CompressedSetFile>;
    this.files = new ReadableStream({
      start: (opened) => void (controller = opened),
      cancel: (reason) => stop.abort(reason),
    });
    const unlessStopped = (act: () => void) => {
      if (!stop.signal.aborted) act();
    };
    this.description = start((file) => unlessStopped(() => controller.enqueue(file)), stop.signal);
    this.description.then(
      () => unlessStopped(() => controller.close()),
      (error: unknown) => unlessStopped(() => controller.error(error)),
    );
  }

  /** The HTML of the set. */
  get markup(): Promise<string> {
    return this.description.then(({ markup }) => markup);
  }

  [Symbol.asyncIterator](): AsyncIterator<CompressedSetFile> {
    return this.files[Symbol.asyncIterator]();
  }
}

interface SetRequest {
  readonly options: SetOptions;
  readonly policy: CompressionPolicy;
  readonly resultFormats: ResultFormats;
}

/** @throws the first Problem if there is no file at all */
export async function compressToSet(
  { runner, image, signal }: { runner: CompressionRunner; image: Uint8Array; signal: AbortSignal },
  { options, policy, resultFormats }: SetRequest,
  deliver: Deliver,
): Promise<SetDescription> {
  const compress = (one: CompressionPolicy) =>
    runner.run(image, { policy: one, signal, deadlineAt: Infinity });
  let first: Problem | undefined;
  const description = await makeSet(await planSetOf(image, options, policy, resultFormats), {
    compress,
    make: async (variant) => {
      const { bytes, report } = await compress(variant.policy);
      deliver({ name: variant.name, bytes, report: reportOf(report) });
      return report;
    },
    failed: (_, problem) => (first ??= problem),
  });
  if (first && description.files.length === 0) throw first;
  // The files that were finished before the caller stopped are no whole set.
  if (signal.aborted) throw signal.reason;
  return description;
}
