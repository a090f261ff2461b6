/** What every step of compression gets: one image, the codecs, the settings that apply to it, and a stopwatch. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { Source } from '../formats/image-header';
import type { CodecEngine } from './codecs.port';
import type { Stopwatch } from './stopwatch';

export interface Work<S extends Source = Source> {
  readonly source: S;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
}

/**
 * Returns what a promise yields and what `prepare` returns. Codecs work on threads of their own, so an operation that has
 * been started takes no time besides what `prepare` needs on this thread.
 */
export async function meanwhile<T, U>(started: Promise<T>, prepare: () => U): Promise<[T, U]> {
  // If `prepare` throws, nothing else awaits the promise, and a rejection would end the process.
  started.catch(() => undefined);
  const prepared = prepare();
  return [await started, prepared];
}

/** Returns a function that calls `make` at its first call only and always returns that result. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
