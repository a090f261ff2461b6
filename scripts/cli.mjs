import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

// npm runs scripts in the package's folder; file names given by the user are relative to where he stands.
const userFolder = process.env.INIT_CWD ?? process.cwd();
prepare();
process.env.ICS_USER_FOLDER = userFolder;
await import(pathToFileURL(join(root, 'dist', 'cli', 'main.js')));
