/** The input of every compression step: one image, the codecs, the settings, and a stopwatch. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { Source } from '../formats/image-header';
import type { CodecEngine } from './codecs.port';
import type { Stopwatch } from './stopwatch';
import type { OpenedUpload } from './uploads/upload';

export interface Work<S extends Source = Source> {
  readonly source: S;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
  /** Present if other works compress the same image to other formats. */
  readonly shared?: SharedUpload;
}

/** The upload of several works whose policies differ only in their formats. */
export interface SharedUpload {
  /** Set by the first work that opens it. */
  opened?: Promise<OpenedUpload>;
}

/**
 * Awaits a promise while `prepare` runs, and returns both results. Codecs work on their own threads, so a started operation takes no
 * time beyond what `prepare` needs on this thread.
 */
export async function meanwhile<T, U>(started: Promise<T>, prepare: () => U): Promise<[T, U]> {
  // If `prepare` throws, nothing else awaits the promise, and a rejection would end the process.
  started.catch(() => undefined);
  const prepared = prepare();
  return [await started, prepared];
}

/** Returns a function that calls `make` only once and keeps returning its result. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
