import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { prepare, root } from '../../scripts/prepare.mjs';

prepare('tests');
export const load = (path) => createRequire(import.meta.url)(join(root, 'dist', path));
export const { compressImage } = load('compression/application/recipe.js');
export const { policy } = load('settings/settings.js').readSettings({}).compression;
export const nativeEngine = () =>
  load('compression/infrastructure/codecs/native/native-engine.js').createNativeEngine();

/** Resolves a path against the user's folder; the sample of the repository by default. */
export const folderOf = (typed) =>
  typed ? resolve(process.env.INIT_CWD ?? process.cwd(), typed) : join(root, 'examples');

export function imagesIn(folder, pattern) {
  return readdirSync(folder)
    .filter((file) => pattern.test(file))
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

export const machine = () => `machine ${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}`;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
