/** A set in the library: its files as they are finished, then its description. */
import { Problem } from '../contract/problem';
import type { ResultFormats } from '../contract/result-formats';
import { deliveriesOf } from '../compression/application/sets/deliveries';
import { SetInProgress, type SetDescription } from '../compression/application/sets/run-set';
import type { CompressionRunner } from '../compression/application/running/compression-runner.port';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import { planSet, type SetOptions } from '../compression/domain/sets/set-plan';
import { readSource } from '../compression/formats/image-header';
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
    const { items, end } = deliveriesOf(start);
    this.files = items;
    this.description = end;
  }

  /** The HTML of the set. */
  get markup(): Promise<string> {
    return this.description.then(({ markup }) => markup);
  }

  [Symbol.asyncIterator](): AsyncIterator<CompressedSetFile> {
    return this.files[Symbol.asyncIterator]();
  }
}

/** @throws the first Problem if there is no file at all */
export async function makeSet(
  { runner, image, signal }: { runner: CompressionRunner; image: Uint8Array; signal: AbortSignal },
  asked: {
    readonly options: SetOptions;
    readonly policy: CompressionPolicy;
    readonly resultFormats: ResultFormats;
  },
  deliver: Deliver,
): Promise<SetDescription> {
  const { options, policy, resultFormats } = asked;
  const set = new SetInProgress(planSet(readSource(image, policy.maxPixels), options, policy, resultFormats));
  let first: Problem | undefined;
  await set.run(
    runner,
    image,
    { signal, deadlineAt: Infinity, deadlineMs: Infinity },
    ({ variant, result }) => {
      if (result instanceof Problem) first ??= result;
      else deliver({ name: variant.name, bytes: result.bytes, report: reportOf(result.report) });
    },
  );
  const description = set.describe();
  if (first && description.files.length === 0) throw first;
  // The files that were finished before the caller stopped are no whole set.
  if (signal.aborted) throw signal.reason;
  return description;
}
