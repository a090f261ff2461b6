/**
 * How an image was made, read from its content credentials (C2PA). Any change of a file makes them invalid, but this stays true. It
 * is read by the order of the manifests, without their signatures.
 */
import { text } from './bytes';

/** Starts the description of a manifest. The last manifest of a store is the active one; those of its ingredients come before. */
const MANIFEST = 'jumdc2ma';
/** A key in CBOR and its value, a text whose length takes one byte (RFC 8949, 3). */
const SOURCE_TYPE = /digitalSourceType\x78([\x18-\xff])/g;
/** Says that an ingredient is the image that was edited, not a part of the new one. */
const PARENT = 'parentOf';
/** More manifests, or types in one, than any program writes. */
const MOST_READ = 100;

/** Terms for generated images, then for others that algorithms made or changed. */
const RANKS = [/(?:^|\/)(?:trainedAlgorithmicMedia|compositeWithTrainedAlgorithmicMedia)\/?$/i, /algorithm/i];

/**
 * Returns the digital source type of the active manifest or of an image that it was edited from, whichever says most: no later edit
 * hides that an image was generated.
 * @param bytes contain the manifest store
 */
export function statedSourceType(bytes: Uint8Array): string | undefined {
  const store = text(bytes);
  const types: string[] = [];
  let end = store.length;
  for (let read = 0; read < MOST_READ && end > 0; read++) {
    const start = Math.max(0, store.lastIndexOf(MANIFEST, end - 1));
    const manifest = store.slice(start, end);
    types.push(...sourceTypes(manifest).reverse());
    if (!manifest.includes(PARENT)) break;
    end = start;
  }
  return strongestSourceType(types);
}

/** Returns the first of the types that say most about algorithms. */
export function strongestSourceType(types: readonly string[]): string | undefined {
  const found = RANKS.map((rank) => types.find((type) => rank.test(type)));
  return found.find((type) => type !== undefined) ?? types.at(0);
}

function sourceTypes(manifest: string) {
  const found: string[] = [];
  for (const { 0: key, 1: size, index } of manifest.matchAll(SOURCE_TYPE)) {
    const start = index + key.length;
    if (found.push(manifest.slice(start, start + size.charCodeAt(0))) === MOST_READ) break;
  }
  return found;
}
