/** How an image was made, read from its content credentials (C2PA). Any change of a file makes them invalid, but this stays true. */
import { text } from './bytes';

/** Starts the description of a manifest. The last manifest of a store is the active one; those of its ingredients come first. */
const MANIFEST = 'jumdc2ma';
/** A key in CBOR and its value, a text whose length takes one byte (RFC 8949, 3). */
const SOURCE_TYPE = /digitalSourceType\x78([\x18-\xff])/g;
const BY_ALGORITHM = /algorithm/i;
/** An ingredient that is only a part of the image, so that its origin is not the image's. */
const PART = 'componentOf';

/**
 * Returns the digital source type that the actions of the active manifest state, or else those of the image that it was edited from.
 * Signatures are not checked.
 * @param store a JUMBF superbox with all manifests
 */
export function statedSourceType(store: Uint8Array): string | undefined {
  const all = text(store);
  const active = all.slice(Math.max(0, all.lastIndexOf(MANIFEST)));
  const own = lastSourceType(active);
  return own ?? (active.includes(PART) ? undefined : lastSourceType(all));
}

/** One that names an algorithm comes before all others, so that no later edit hides that an image was generated. */
function lastSourceType(manifests: string) {
  let last: string | undefined;
  for (const { 0: key, 1: size, index } of manifests.matchAll(SOURCE_TYPE)) {
    const start = index + key.length;
    const type = manifests.slice(start, start + size.charCodeAt(0));
    if (!last || BY_ALGORITHM.test(type) || !BY_ALGORITHM.test(last)) last = type;
  }
  return last;
}
