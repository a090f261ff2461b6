import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, which is two folders above both the sources and the built files. */
export const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version;

/** Changes with everything that a build is made from; the version where the package does not say, as a published one. */
export function buildId(): string {
  const stamp = join(__dirname, '..', '.built-from');
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : VERSION;
}
