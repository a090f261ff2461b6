/** The thread that vital-signs.ts starts. It writes a byte at intervals until its process ends. */
import { writeSync } from 'node:fs';
import { HEARTBEAT_FD, HEARTBEAT_MS } from './vital-signs';

const never = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  try {
    writeSync(HEARTBEAT_FD, '.');
  } catch {
    // The service has exited or is busy. The main thread notices an exit.
  }
  Atomics.wait(never, 0, 0, HEARTBEAT_MS);
}
