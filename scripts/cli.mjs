import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root, userFolder } from './prepare.mjs';

// The engine alone is a smaller installation.
const part = ['compress', 'set', 'compare', 'check', 'guard', 'codec'].includes(process.argv[2])
  ? 'engine'
  : 'server';
await prepare(part);
process.env.ICS_USER_FOLDER = userFolder;
// The accounts of the service that `npm start` serves.
if (!process.env.DATABASE_URL && !process.env.DATABASE_URL_FILE)
  process.env.DATABASE_URL = 'sqlite:./data/service.db';
await import(pathToFileURL(join(root, 'dist', 'cli', part === 'engine' ? 'engine.js' : 'main.js')));
