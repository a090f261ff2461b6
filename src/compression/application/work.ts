/** The input of every compression step: one image, the codecs, the settings, and a stopwatch. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { Source } from '../formats/image-header';
import type { CodecEngine } from './codecs.port';
import type { Stopwatch } from './stopwatch';

export interface Work<S extends Source = Source> {
  readonly source: S;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
  /** The same object in all works that compress the same image to other formats; absent if there are none. */
  readonly shared?: object;
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
