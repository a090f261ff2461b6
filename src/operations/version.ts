import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this package, as its package.json has it: two folders above the built files and the sources alike. */
export const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version;
