import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

prepare();
await import(pathToFileURL(join(root, 'dist', 'main.js')));
