import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

// Before the work: npm may be gone by the time that it is done.
const parent = process.ppid;
prepare();

// npm starts us through a shell that does not pass signals on: when it is gone, we are meant to go too.
if (process.env.npm_lifecycle_event === 'start' && process.platform !== 'win32') {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

await import(pathToFileURL(join(root, 'dist', 'main.js')));
