/**
 * Which version and which build of the service this is. A new build may compress differently under the same
 * version, so remembered results depend on both.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SERVICE_NAME = 'image-compression-service';

/** The version in package.json, which is two folders above both the sources and the built files. */
export const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version;

const BUILT = join(__dirname, '..');

/** Changes with the build. An installed package has no stamp: its code is hashed, which takes about 40 ms. */
export function buildId(folder = BUILT): string {
  const stamp = join(folder, '.built-from');
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : digestOfCode(folder);
}

function digestOfCode(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.([cm]?js|wasm)$/.test(name),
  );
  const hash = createHash('sha256').update(VERSION);
  for (const name of names.sort()) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
