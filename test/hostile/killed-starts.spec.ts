/** Danger: a service that is killed while its workers start leaves processes behind. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/eventually';
import { hasBubblewrap } from '../support/sandboxes';

const INFRASTRUCTURE = join(__dirname, ...['..', '..', 'dist', 'compression', 'infrastructure']);
const marker = `killed-start-${process.pid}`;
/** Starts a worker that is in no pool, and kills itself after some milliseconds. */
const SERVICE = `
  const { bubblewrap } = require('./sandbox/bubblewrap.js');
  const { WorkerFiles } = require('./sandbox/worker-files.js');
  const { spawnWorker } = require('./process/spawn-worker.js');
  const libraries = process.report.getReport().sharedObjects.filter((path) => path.startsWith('/'));
  const sandbox = bubblewrap(new WorkerFiles([]), libraries);
  spawnWorker([require.resolve('./process/worker-process.js'), 'native', '${marker}'], sandbox);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.argv[1]));
  process.kill(process.pid, 'SIGKILL');`;

function left(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return Number(pid) > 0 && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(marker);
    } catch {
      return false;
    }
  });
}

(hasBubblewrap ? it : it.skip)('all processes of a worker end with the service', async () => {
  for (let ms = 0; ms < 16; ms++)
    spawnSync(process.execPath, ['-e', SERVICE, String(ms)], { cwd: INFRASTRUCTURE });
  await until(() => left().length === 0);
});
