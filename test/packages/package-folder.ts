import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { QOI, qoiManifest } from './tutorial';

export { QOI };
export const folder = temporaryFolder();
export function put(name: string, content: string | Uint8Array | object) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const isText = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isText ? content : JSON.stringify(content));
  return path;
}
export const formatOf = (changes: object) => ({
  ...qoiManifest,
  format: { ...qoiManifest.format, ...changes },
});

/** A module that is a file, with its manifest. */
export const MODULE = put('qoi.mjs', QOI);
put('qoi.json', qoiManifest);
