/** A set in the library: its files as they are finished, then its description. */
import { PassThrough } from 'node:stream';
import type { SetDescription } from '../sets/make-set';
import type { CompressedImage } from './report';

export interface CompressedSetFile extends CompressedImage {
  /** Such as `photo-480.webp`, or `photo-480@2x.webp` for a density of 2. */
  readonly name: string;
}

/** Yields the files of a set as soon as they are finished. Leaving the loop stops the work. */
export class CompressedSet implements AsyncIterable<CompressedSetFile> {
  /** The files, the widths that were left out, failures, and the markup. Settles after the last file. */
  readonly description: Promise<SetDescription>;
  private readonly files = new PassThrough({ objectMode: true });

  constructor(
    start: (deliver: (file: CompressedSetFile) => void, stopped: AbortSignal) => Promise<SetDescription>,
  ) {
    const stop = new AbortController();
    // Without a listener, an error that no loop waits for would end the program; `description` has it, too.
    this.files.on('error', () => undefined).on('close', () => stop.abort());
    this.description = start((file) => this.files.write(file), stop.signal);
    this.description.then(
      () => this.files.end(),
      (error: unknown) => this.files.destroy(error as Error),
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
