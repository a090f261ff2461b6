import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

// Read before the work starts, because npm may have exited when it is done.
const parent = process.ppid;
await prepare('server');

// npm starts this script through a shell that does not forward signals, so stop when that shell exits.
if (process.env.npm_lifecycle_event === 'start' && process.platform !== 'win32') {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

await import(pathToFileURL(join(root, 'dist', 'main.js')));
