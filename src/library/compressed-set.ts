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
  /** The HTML of the set. */
  readonly markup: Promise<string>;
  private readonly files = new PassThrough({ objectMode: true });

  constructor(
    start: (deliver: (file: CompressedSetFile) => void, stopped: AbortSignal) => Promise<SetDescription>,
  ) {
    const stop = new AbortController();
    // The loop and both promises reject with the same error. A caller handles one; the others must not end the program.
    this.files.on('error', () => undefined).on('close', () => stop.abort());
    this.description = start((file) => this.files.write(file), stop.signal);
    this.description.then(
      () => this.files.end(),
      (error: unknown) => this.files.destroy(error as Error),
    );
    this.markup = this.description.then(({ markup }) => markup);
    this.markup.catch(() => undefined);
  }

  [Symbol.asyncIterator](): AsyncIterator<CompressedSetFile> {
    return this.files[Symbol.asyncIterator]();
  }
}
