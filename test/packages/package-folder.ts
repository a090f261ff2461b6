import { Folder } from '../support/folders';
import { QOI, qoiManifest } from './tutorial';

export { QOI };
const place = new Folder();
export const { folder } = place;
export function put(name: string, content: string | Uint8Array | object) {
  const isText = typeof content === 'string' || content instanceof Uint8Array;
  place.put(name, isText ? content : JSON.stringify(content));
  return place.path(name);
}
export const formatOf = (changes: object) => ({
  ...qoiManifest,
  format: { ...qoiManifest.format, ...changes },
});

/** A module that is a file, with its manifest. */
export const MODULE = put('qoi.mjs', QOI);
put('qoi.json', qoiManifest);
