/** Computes a value when it is first asked for, and keeps it: pixels, mosaics and references are expensive. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
